import { App } from 'cdk8s';
import { ComponentName, Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, PlatformPreset } from 'trainyard/platform';

const app = new App();

// Kubeflow's applications, Trainer v2, our operator and KServe on one machine, applied by a script: nothing but kubectl and kustomize has to be
// there.
const platform = new KubeflowPlatform(app, 'kubeflow-local', {
  environment: PlatformEnvironment.KIND,
  kubernetesVersion: '1.34',
  preset: PlatformPreset.LOCAL,
  components: [PlatformComponent.trainingOperator({ replicas: 1 }), PlatformComponent.trainer({ runtimes: false })],
  without: [ComponentName.KATIB],
  delivery: Delivery.kustomization(),
});

app.synth();
platform.writeKustomization();
