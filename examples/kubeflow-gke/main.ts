import { App, Duration, Size } from 'cdk8s';
import { LokiBucketKind } from 'trainyard/monitoring';
import {
  ArtifactStore, Delivery, IdentityProvider, KubeflowPlatform, MetadataDatabase, PlatformComponent, PlatformEnvironment, PlatformPreset, PlatformTls,
  ServiceMesh,
} from 'trainyard/platform';

const app = new App();

// All of Kubeflow on GKE: Argo CD keeps it true, people come through IAP, files are in a bucket, what ran is in Cloud SQL.
new KubeflowPlatform(app, 'kubeflow-gke', {
  environment: PlatformEnvironment.GKE,
  kubernetesVersion: '1.34',
  preset: PlatformPreset.FULL,
  components: [
    PlatformComponent.trainingOperator({ monitoring: true }),
    PlatformComponent.kueue({ fairSharing: true, waitForPodsReady: Duration.minutes(10) }),
    PlatformComponent.kubePrometheusStack({ retention: Duration.days(15), storage: Size.gibibytes(200) }),
    PlatformComponent.loki({ retention: Duration.days(30), bucket: { kind: LokiBucketKind.GCS, name: 'ml-platform-lines' } }),
    PlatformComponent.fluentBit(),
  ],
  mesh: ServiceMesh.MANAGED,
  identity: IdentityProvider.iap({ audience: '/projects/123456789012/global/backendServices/1234567890123456789', hostedDomain: 'example.com' }),
  domain: { host: 'ml.example.com', tls: PlatformTls.certificateMap('ml-example-com') },
  artifactStore: ArtifactStore.gcs('ml-platform-artifacts'),
  database: MetadataDatabase.cloudSql('ml-platform:europe-west4:kubeflow', { googleServiceAccount: 'kubeflow-sql@ml-platform.iam.gserviceaccount.com' }),
  delivery: Delivery.argoCd({ repository: 'https://github.com/example/ml-platform.git' }),
});

app.synth();
