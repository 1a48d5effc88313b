/** An object of each kind with much in it, and what belongs to it. */
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../src/manifests/migrate/fields';

/** A small pod template: what pods have in common is tried once. */
const small = (name: string) => `
        spec: { containers: [{ name: ${name}, image: "train:1", command: [python], env: [{ name: A, value: one }] }] }`;

/** A pod template with much in it, whose container is called `name`. */
const pod = (name: string, more = '') => `
        metadata: { labels: { team: vision }, annotations: { note: x } }
        spec:
          nodeSelector: { pool: gpu }
          tolerations: [{ key: gpu, operator: Exists, effect: NoSchedule }]
          priorityClassName: high
          serviceAccountName: trainer
          imagePullSecrets: [{ name: registry }]
          securityContext: { fsGroup: 1 }
          initContainers: [{ name: fetch, image: "fetch:1", command: [fetch] }]
          containers:
          - name: ${name}
            image: train:1
            command: [python]
            args: [train.py]
            workingDir: /app
            imagePullPolicy: Always
            env: [{ name: A, value: one }, { name: B, valueFrom: { secretKeyRef: { name: s, key: k } } }]
            envFrom: [{ configMapRef: { name: settings } }]
            ports: [{ name: metrics, containerPort: 9090 }]
            resources: { limits: { nvidia.com/gpu: "2", cpu: "4", memory: 8Gi }, requests: { cpu: "4", memory: 4Gi } }
            volumeMounts: [{ name: data, mountPath: /data }, { name: shm, mountPath: /dev/shm }]
          - { name: logs, image: "logs:1" }
          volumes: [{ name: data, persistentVolumeClaim: { claimName: c } }, { name: shm, emptyDir: { medium: Memory, sizeLimit: 1Gi } }]
          ${more}`;

const RUN_POLICY = 'runPolicy: { cleanPodPolicy: Running, backoffLimit: 3, ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 60, suspend: true, managedBy: kubeflow.org/training-operator, '
  + 'schedulingPolicy: { minAvailable: 1, queue: q, priorityClass: high, minResources: { cpu: "1" }, scheduleTimeoutSeconds: 9 } }';

const METADATA = 'metadata: { name: net, namespace: ml, labels: { team: vision, kueue.x-k8s.io/queue-name: queue }, annotations: { owner: me } }';

function v1(kind: string, field: string, container: string, types: readonly string[], spec = '', version = 'v1', template = small): string {
  const replicas = types.map((type) => `    ${type}:\n      replicas: 1\n      restartPolicy: OnFailure\n      template:${template(container)}`);
  return `apiVersion: kubeflow.org/${version}\nkind: ${kind}\n${METADATA}\nspec:\n  ${RUN_POLICY}\n${spec}\n  ${field}:\n${replicas.join('\n')}\n`;
}

const JOB_SPEC = `backoffLimit: 2
      completionMode: Indexed
      podFailurePolicy: { rules: [{ action: FailJob, onExitCodes: { operator: In, values: [3] } }] }
      podReplacementPolicy: Failed`;

const TEXTS: { readonly [name: string]: string } = {
  PyTorchJob: v1('PyTorchJob', 'pytorchReplicaSpecs', 'pytorch', ['Master', 'Worker'], '  nprocPerNode: auto', 'v1', pod),
  'PyTorchJob, elastic': v1('PyTorchJob', 'pytorchReplicaSpecs', 'pytorch', ['Worker'],
    '  elasticPolicy: { minReplicas: 1, maxReplicas: 2, rdzvBackend: c10d, rdzvHost: h, rdzvId: i, rdzvConf: [{ key: k, value: v }], metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }] }'),
  TFJob: v1('TFJob', 'tfReplicaSpecs', 'tensorflow', ['Chief', 'Worker', 'PS', 'Evaluator'], '  successPolicy: AllWorkers\n  enableDynamicWorker: true'),
  'MPIJob v1': v1('MPIJob', 'mpiReplicaSpecs', 'mpi', ['Launcher', 'Worker'], '  slotsPerWorker: 2\n  mainContainer: mpi\n  cleanPodPolicy: All'),
  'MPIJob v2beta1': v1('MPIJob', 'mpiReplicaSpecs', 'mpi', ['Launcher', 'Worker'],
    '  sshAuthMountPath: /root/.ssh\n  mpiImplementation: Intel\n  launcherCreationPolicy: WaitForWorkersReady', 'v2beta1'),
  XGBoostJob: v1('XGBoostJob', 'xgbReplicaSpecs', 'xgboost', ['Master', 'Worker']),
  PaddleJob: v1('PaddleJob', 'paddleReplicaSpecs', 'paddle', ['Worker'], '  elasticPolicy: { maxReplicas: 2 }'),
  JAXJob: v1('JAXJob', 'jaxReplicaSpecs', 'jax', ['Worker']),
  MXJob: v1('MXJob', 'mxReplicaSpecs', 'mxnet', ['Scheduler', 'Server', 'Worker'], '  jobMode: MXTrain'),
  Job: `
apiVersion: batch/v1
kind: Job
${METADATA}
spec:
      ${JOB_SPEC}
      parallelism: 2
      completions: 2
      successPolicy: { rules: [{ succeededIndexes: "1" }] }
      template:${pod('main', 'subdomain: net-svc\n          restartPolicy: Never')}
---
apiVersion: v1
kind: Service
metadata: { name: net-svc }
spec: { clusterIP: None }
`,
  'Job, an array': `
apiVersion: batch/v1
kind: Job
${METADATA}
spec:
      completionMode: Indexed
      parallelism: 2
      completions: 9
      backoffLimitPerIndex: 1
      maxFailedIndexes: 3
      podFailurePolicy: { rules: [{ action: FailIndex, onExitCodes: { operator: In, values: [3] } }] }
      template:${pod('main', 'restartPolicy: Never')}
`,
  JobSet: `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
${METADATA}
spec:
  failurePolicy: { maxRestarts: 2, restartStrategy: Recreate, rules: [{ name: r, action: FailJobSet, onJobFailureReasons: [DeadlineExceeded], targetReplicatedJobs: [w] }] }
  successPolicy: { operator: All, targetReplicatedJobs: [w] }
  network: { subdomain: sub, enableDNSHostnames: true }
  coordinator: { replicatedJob: w }
  volumeClaimPolicies: [{ templates: [{ metadata: { name: v } }] }]
  replicatedJobs:
  - name: d
    template:
     spec:
      template:${small('d')}
  - name: w
    groupName: g
    dependsOn: [{ name: d, status: Ready }]
    template:
     metadata: { labels: { l: v }, annotations: { a: v } }
     spec:
      ${JOB_SPEC}
      template:${small('w')}
`,
  'Volcano Job': `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
${METADATA}
spec:
  schedulerName: mine
  queue: research
  priorityClassName: high
  minAvailable: 2
  maxRetry: 5
  ttlSecondsAfterFinished: 60
  runningEstimate: 1h
  networkTopology: { mode: hard, highestTierAllowed: 1 }
  plugins: { svc: [--publish-not-ready-addresses=true], env: [], ssh: [--no-root] }
  policies: [{ event: PodEvicted, action: RestartJob }, { event: PodPending, action: AbortJob, timeout: 1h }, { exitCode: 3, action: AbortJob }]
  volumes: [{ mountPath: /runs, volumeClaimName: runs, volumeClaim: { accessModes: [ReadWriteOnce] } }]
  tasks:
  - name: learner
    minAvailable: 1
    policies: [{ events: [PodFailed], action: RestartTask }, { event: TaskCompleted, action: CompleteJob }]
    template:${small('l')}
  - name: actor
    replicas: 2
    minAvailable: 1
    maxRetry: 2
    dependsOn: { name: [learner], iteration: any }
    topologyPolicy: best-effort
    template:${small('a')}
`,
  TrainJob: `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
${METADATA}
spec:
  runtimeRef: { name: mine, kind: ClusterTrainingRuntime }
  initializer: { dataset: { storageUri: "hf://a/b", secretRef: { name: s } } }
  trainer: { numNodes: 2, image: "mine:1", command: [torchrun], args: [t.py], env: [{ name: C, value: c }], resourcesPerNode: { limits: { cpu: "4" } }, numProcPerNode: 2 }
  managedBy: trainer.kubeflow.org/trainjob-controller
  runtimePatches:
  - manager: acme.io/me
    trainingRuntimeSpec: { template: { spec: { replicatedJobs: [{ name: node, template: { spec: { template: { metadata: { labels: { p: q } }, spec: { nodeSelector: { n: m } } } } } }] } } }
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: { name: mine }
spec:
  mlPolicy: { numNodes: 1, torch: {} }
  podGroupPolicy: { volcano: { networkTopology: { mode: hard } } }
  template:
    spec:
     replicatedJobs:
     - name: node
       template:
        metadata: { labels: { trainer.kubeflow.org/trainjob-ancestor-step: trainer, l: v } }
        spec:
         backoffLimit: 2
         template:${pod('node').replaceAll('\n', '\n  ')}
`,
  RayJob: `
apiVersion: ray.io/v1
kind: RayJob
${METADATA}
spec:
  entrypoint: python tune.py
  runtimeEnvYAML: "pip: [x]"
  submissionMode: HTTPMode
  shutdownAfterJobFinishes: true
  jobId: j
  rayClusterSpec:
    rayVersion: 2.46.0
    gcsFaultToleranceOptions: { redisAddress: r }
    headGroupSpec:
      serviceType: NodePort
      rayStartParams: { dashboard-host: 0.0.0.0 }
      template:${small('head')}
    workerGroupSpecs:
    - groupName: small
      replicas: 2
      rayStartParams: { labels-json: x }
      scaleStrategy: { workersToDelete: [a] }
      template:${small('worker')}
`,
  MLTrainingJob: `
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
${METADATA}
spec: { framework: pytorch, image: i, replicas: 2, resources: { memory: 16Gi }, hyperparameters: { LR: "0.1" }, runPolicy: { cleanPodPolicy: All } }
`,
};

/** Objects of each sample, the job first. */
export const SAMPLES: { readonly [name: string]: readonly JsonObject[] } = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [
  name, parseAllDocuments(text).map((document) => document.toJS() as JsonObject),
]));
