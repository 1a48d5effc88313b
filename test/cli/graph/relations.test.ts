import { edgeLines, graphOf } from './graphs';

const POD_SPEC = 'containers: [{ name: c, image: i }]';

describe('relations are found', () => {
  test.each<readonly [what: string, manifest: string, expected: readonly string[]]>([
    ['of a service to the pods of a workload', `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web, tier: front } }, spec: { ${POD_SPEC} } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: other }
spec: { template: { metadata: { labels: { app: other } }, spec: { ${POD_SPEC} } } }`, ['Service web selects Deployment web']],
    ['of a selector that selects nothing here', 'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { selector: { app: web } }',
      ['Service web selects (outside) Pod with app=web']],
    ['of a service without a selector: none', 'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { selector: {} }', []],
    ['of a network policy to all pods of its namespace', `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: deny, namespace: a }
spec: { podSelector: {} }
---
apiVersion: v1
kind: Pod
metadata: { name: near, namespace: a }
spec: { ${POD_SPEC} }
---
apiVersion: v1
kind: Pod
metadata: { name: far, namespace: b }
spec: { ${POD_SPEC} }`, ['NetworkPolicy a/deny guards Pod a/near']],
    ['by expressions', `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: keep }
spec: { selector: { matchExpressions: [{ key: tier, operator: In, values: [a, b] }, { key: old, operator: DoesNotExist }, { key: x, operator: NotIn, values: [y] }, { key: tier, operator: Exists }] } }
---
apiVersion: v1
kind: Pod
metadata: { name: yes, labels: { tier: b } }
spec: { ${POD_SPEC} }
---
apiVersion: v1
kind: Pod
metadata: { name: no, labels: { tier: a, old: "" } }
spec: { ${POD_SPEC} }`.replace('name: yes', 'name: "yes"').replace('name: no,', 'name: "no",').replace('[y]', '["y"]'), ['PodDisruptionBudget keep protects Pod yes']],
    ['of a pod to everything that it names', `
apiVersion: v1
kind: Pod
metadata: { name: p, namespace: a }
spec:
  serviceAccountName: trainer
  priorityClassName: high
  runtimeClassName: gvisor
  imagePullSecrets: [{ name: pull }]
  initContainers: [{ name: i, image: i, envFrom: [{ configMapRef: { name: base } }, { secretRef: { name: keys } }] }]
  containers:
    - name: c
      image: i
      env:
        - { name: A, valueFrom: { secretKeyRef: { name: keys, key: a } } }
        - { name: B, valueFrom: { configMapKeyRef: { name: base, key: b } } }
  volumes:
    - { name: v1, persistentVolumeClaim: { claimName: data } }
    - { name: v2, secret: { secretName: keys } }
    - { name: v3, projected: { sources: [{ configMap: { name: more } }, { secret: { name: certs } }] } }
  resourceClaims: [{ name: gpu, resourceClaimTemplateName: gpus }]`, [
      'Pod a/p runs as (outside) ServiceAccount a/trainer',
      'Pod a/p ranked by (outside) PriorityClass high',
      'Pod a/p runs by (outside) RuntimeClass gvisor',
      'Pod a/p pulls with (outside) Secret a/pull',
      'Pod a/p reads (outside) ConfigMap a/base',
      'Pod a/p reads, mounts (outside) Secret a/keys',
      'Pod a/p mounts (outside) PersistentVolumeClaim a/data',
      'Pod a/p mounts (outside) ConfigMap a/more',
      'Pod a/p mounts (outside) Secret a/certs',
      'Pod a/p claims (outside) ResourceClaimTemplate a/gpus',
    ]],
    ['of templates deep in a custom resource', `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: set, labels: { kueue.x-k8s.io/queue-name: gpus } }
spec:
  replicatedJobs:
    - name: node
      template: { spec: { template: { spec: { containers: [{ name: c, envFrom: [{ secretRef: { name: keys } }] }] } } } }
---
apiVersion: v1
kind: Secret
metadata: { name: keys }
---
apiVersion: v1
kind: Service
metadata: { name: set }
spec: { selector: { jobset.sigs.k8s.io/jobset-name: set } }`, [
      'JobSet set waits in (outside) LocalQueue gpus', 'JobSet set reads Secret keys', 'Service set selects JobSet set',
    ]],
    ['of a model server to the Secret that it downloads with, by the annotation of either installation of KServe', `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: { name: iris, annotations: { serving.kserve.io/storageSecretName: hub, serving.kserve.io/secretName: hub } }
spec: { predictor: { model: { modelFormat: { name: sklearn } } } }
---
apiVersion: v1
kind: Secret
metadata: { name: hub }`, ['InferenceService iris reads Secret hub']],
    ['of bindings', `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: b, namespace: a }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: r }
subjects: [{ kind: ServiceAccount, name: s, namespace: other }, { kind: User, name: eve, apiGroup: rbac.authorization.k8s.io }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: r, namespace: a }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: s, namespace: other }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: s, namespace: a }`, ['RoleBinding a/b grants Role a/r', 'RoleBinding a/b to ServiceAccount other/s', 'RoleBinding a/b to (outside) User eve']],
    ['of autoscalers', `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: h }
spec: { scaleTargetRef: { apiVersion: ml.collabnix.io/v1alpha1, kind: MLTrainingJob, name: j } }
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: k }
spec: { scaleTargetRef: { name: web }, triggers: [{ type: x, authenticationRef: { name: auth } }] }`, [
      'HorizontalPodAutoscaler h scales (outside) MLTrainingJob j',
      'ScaledObject k scales (outside) Deployment web',
      'ScaledObject k reads (outside) TriggerAuthentication auth',
    ]],
    ['from a job to its queue, and on to the quota', `
apiVersion: batch/v1
kind: Job
metadata: { name: j, namespace: a, labels: { kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/priority-class: high } }
spec: { template: { spec: { ${POD_SPEC} } } }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: team, namespace: a }
spec: { clusterQueue: all }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: all }
spec: { cohortName: company, resourceGroups: [{ flavors: [{ name: h100 }, { name: a100 }] }], admissionChecksStrategy: { admissionChecks: [{ name: prov }] } }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: h100 }
spec: { topologyName: racks }`, [
      'Job a/j waits in LocalQueue a/team',
      'Job a/j ranked by (outside) WorkloadPriorityClass high',
      'LocalQueue a/team part of ClusterQueue all',
      'ClusterQueue all offers ResourceFlavor h100',
      'ClusterQueue all offers (outside) ResourceFlavor a100',
      'ClusterQueue all part of (outside) Cohort company',
      'ClusterQueue all asks (outside) AdmissionCheck prov',
      'ResourceFlavor h100 laid out by (outside) Topology racks',
    ]],
    ['of a TrainJob to its runtime, the cluster\'s unless it says otherwise', `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: { name: t, namespace: a }
spec: { runtimeRef: { name: torch-distributed } }
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: { name: u, namespace: a }
spec: { runtimeRef: { kind: TrainingRuntime, name: own } }
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: { name: own, namespace: a }`, ['TrainJob a/t runs on (outside) ClusterTrainingRuntime torch-distributed', 'TrainJob a/u runs on TrainingRuntime a/own']],
    ['of a definition to what it defines, in any version', `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  versions: [{ name: v1, schema: { openAPIV3Schema: { properties: { secretKeyRef: { properties: { name: { type: string } } }, serviceAccountName: { type: string } } } } }]
---
apiVersion: example.com/v1beta1
kind: Widget
metadata: { name: w }`, ['CustomResourceDefinition widgets.example.com defines Widget w']],
    ['of what is owned', `
apiVersion: v1
kind: ConfigMap
metadata: { name: c, ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: d, uid: u }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: d }
spec: { template: { spec: { ${POD_SPEC} } } }`, ['ConfigMap c owned by Deployment d']],
    ['of gangs', `
apiVersion: v1
kind: Pod
metadata: { name: p, labels: { scheduling.x-k8s.io/pod-group: g, kai.scheduler/queue: q }, annotations: { scheduling.k8s.io/group-name: v } }
spec: { ${POD_SPEC}, schedulingGroup: { podGroupName: native } }
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: { name: v }
spec: { queue: research, priorityClassName: high }`, [
      'Pod p member of (outside) PodGroup g', 'Pod p waits in (outside) Queue q', 'Pod p member of PodGroup v', 'Pod p member of (outside) PodGroup native',
      'PodGroup v waits in (outside) Queue research', 'PodGroup v ranked by (outside) PriorityClass high',
    ]],
    ['of routes', `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r }
spec: { parentRefs: [{ name: gate }], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: i }
spec: { ingressClassName: nginx, tls: [{ secretName: cert }], rules: [{ http: { paths: [{ backend: { service: { name: web } } }] } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }`, [
      'HTTPRoute r attached to (outside) Gateway gate', 'HTTPRoute r routes to Service web',
      'Ingress i routes to Service web', 'Ingress i is of (outside) IngressClass nginx', 'Ingress i serves with (outside) Secret cert',
    ]],
    ['of monitors, over namespaces', `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: m, namespace: monitoring }
spec: { namespaceSelector: { matchNames: [a] }, selector: { matchLabels: { app: x } } }
---
apiVersion: v1
kind: Service
metadata: { name: x, namespace: a, labels: { app: x } }
---
apiVersion: v1
kind: Service
metadata: { name: x, namespace: b, labels: { app: x } }`, ['ServiceMonitor monitoring/m scrapes Service a/x']],
    ['of claims', `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: c, namespace: a }
spec: { storageClassName: fast, volumeName: v }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: v }
spec: { storageClassName: fast, claimRef: { name: c, namespace: a } }`, [
      'PersistentVolumeClaim a/c bound to PersistentVolume v', 'PersistentVolumeClaim a/c stored by (outside) StorageClass fast',
      'PersistentVolume v bound to PersistentVolumeClaim a/c', 'PersistentVolume v stored by (outside) StorageClass fast',
    ]],
  ])('%s', (_what, manifest, expected) => {
    expect([...edgeLines(graphOf(manifest).graph)].sort()).toEqual([...expected].sort());
  });
});

describe('namespaces keep names apart', () => {
  const pod = (namespace: string) => `apiVersion: v1\nkind: Pod\nmetadata: { name: p${namespace} }\nspec: { serviceAccountName: s, ${POD_SPEC} }\n---\n`;
  const account = (namespace: string) => `apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: s${namespace} }\n---\n`;

  test.each([
    ['the same', ', namespace: a', ', namespace: a', 'Pod a/p runs as ServiceAccount a/s'],
    ['another', ', namespace: a', ', namespace: b', 'Pod a/p runs as (outside) ServiceAccount a/s'],
    ['none named by what is named, which may then be any', ', namespace: a', '', 'Pod a/p runs as ServiceAccount s'],
    ['none named by what names', '', ', namespace: b', 'Pod p runs as ServiceAccount b/s'],
  ])('%s', (_what, ofPod, ofAccount, expected) => {
    expect(edgeLines(graphOf(pod(ofPod) + account(ofAccount)).graph)).toEqual([expected]);
  });

  test('kinds that live in none are found from everywhere, also with the namespace of a chart', () => {
    const manifest = 'apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: a }\nspec: { priorityClassName: high, containers: [] }\n---\n'
      + 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high, namespace: chart }\n';
    expect(edgeLines(graphOf(manifest).graph)).toEqual(['Pod a/p ranked by PriorityClass high']);
  });
});
