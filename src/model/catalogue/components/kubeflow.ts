/** Kubeflow's own applications, from its distribution. */
import { KUBEFLOW_KUBERNETES, KUBEFLOW_RELEASE, PROGRAM, WEBHOOK_BUNDLES, aggregated, confirmed, crds, kubeflow, part } from '../sources';
import type { CatalogueComponent } from '../types';

/** What each of them has. */
const SHARED = { namespace: 'kubeflow', kubernetes: KUBEFLOW_KUBERNETES, pin: confirmed(KUBEFLOW_RELEASE) } as const;

export const KUBEFLOW_COMPONENTS: readonly CatalogueComponent[] = [
  {
    ...SHARED,
    name: 'kubeflow-base',
    title: 'Namespaces, roles and issuer that Kubeflow\'s applications share',
    version: '26.03',
    parts: [
      part('namespace', kubeflow('common/kubeflow-namespace/base')),
      part('roles', kubeflow('common/kubeflow-roles/base')),
      part('issuer', PROGRAM),
    ],
    otherNamespaces: ['kubeflow-system'],
    crds: [],
    needs: ['cert-manager'],
    ownedByControllers: ['kubeflow-admin', 'kubeflow-edit', 'kubeflow-view'].map(aggregated),
  },
  {
    ...SHARED,
    name: 'kubeflow-gateway',
    title: 'The gateway of the platform\'s domain',
    version: '26.03',
    parts: [part('resources', kubeflow('common/istio/kubeflow-istio-resources/base')), part('certificate', PROGRAM)],
    otherNamespaces: ['istio-system'],
    crds: [],
    needs: ['kubeflow-base', 'mesh'],
    ownedByControllers: ['kubeflow-istio-admin', 'kubeflow-istio-edit'].map(aggregated),
  },
  {
    ...SHARED,
    name: 'profiles',
    title: 'Profiles: a namespace with roles and quota for each team',
    version: 'v1.10.0',
    parts: [part('profiles', kubeflow('applications/profiles/upstream/overlays/kubeflow'))],
    crds: crds('kubeflow.org', 'profiles'),
    needs: ['kubeflow-base', 'mesh'],
  },
  {
    ...SHARED,
    name: 'central-dashboard',
    title: 'Central Dashboard',
    version: 'v1.10.0',
    parts: [part('dashboard', kubeflow('applications/centraldashboard/overlays/oauth2-proxy'))],
    crds: [],
    needs: ['kubeflow-base', 'kubeflow-gateway', 'profiles', 'authentication'],
  },
  {
    ...SHARED,
    name: 'pod-defaults',
    title: 'PodDefaults: settings that pods of a namespace get by label',
    version: 'v1.10.0',
    parts: [part('admission-webhook', kubeflow('applications/admission-webhook/upstream/overlays/cert-manager'))],
    crds: crds('kubeflow.org', 'poddefaults'),
    needs: ['kubeflow-base', 'cert-manager'],
    ownedByControllers: WEBHOOK_BUNDLES,
  },
  {
    ...SHARED,
    name: 'notebooks',
    title: 'Notebooks, with the applications for notebooks and volumes',
    version: 'v1.10.0',
    parts: [
      part('controller', kubeflow('applications/jupyter/notebook-controller/upstream/overlays/kubeflow')),
      part('jupyter-web-app', kubeflow('applications/jupyter/jupyter-web-app/upstream/overlays/istio')),
      part('volumes-web-app', kubeflow('applications/volumes-web-app/upstream/overlays/istio')),
      part('pvcviewer-controller', kubeflow('applications/pvcviewer-controller/upstream/base')),
    ],
    crds: crds('kubeflow.org', 'notebooks', 'pvcviewers'),
    needs: ['kubeflow-base', 'kubeflow-gateway', 'profiles', 'cert-manager'],
    after: ['pod-defaults'],
    ownedByControllers: WEBHOOK_BUNDLES,
  },
  {
    ...SHARED,
    name: 'tensorboard',
    title: 'TensorBoard, with its web application',
    version: 'v1.10.0',
    parts: [
      part('controller', kubeflow('applications/tensorboard/tensorboard-controller/upstream/overlays/kubeflow')),
      part('web-app', kubeflow('applications/tensorboard/tensorboards-web-app/upstream/overlays/istio')),
    ],
    crds: crds('tensorboard.kubeflow.org', 'tensorboards'),
    needs: ['kubeflow-base', 'kubeflow-gateway', 'profiles'],
  },
  {
    ...SHARED,
    name: 'pipelines',
    title: 'Kubeflow Pipelines, multi-user, with pipelines as Kubernetes objects',
    version: '2.16.0',
    parts: [
      part('database-proxy', PROGRAM),
      part('pipelines', kubeflow('applications/pipeline/upstream/env/cert-manager/platform-agnostic-multi-user-k8s-native')),
    ],
    crds: [
      ...crds('pipelines.kubeflow.org', 'pipelines', 'pipelineversions'),
      ...crds('kubeflow.org', 'scheduledworkflows', 'viewers'),
      ...crds('argoproj.io', 'clusterworkflowtemplates', 'cronworkflows', 'workflowartifactgctasks', 'workfloweventbindings', 'workflows', 'workflowtaskresults',
        'workflowtasksets', 'workflowtemplates'),
      ...crds('metacontroller.k8s.io', 'compositecontrollers', 'controllerrevisions', 'decoratorcontrollers'),
    ],
    needs: ['kubeflow-base', 'kubeflow-gateway', 'profiles', 'cert-manager', 'authentication'],
    ownedByControllers: WEBHOOK_BUNDLES,
  },
  {
    ...SHARED,
    name: 'katib',
    title: 'Katib: search for hyperparameters',
    version: 'v0.19.0',
    parts: [part('katib', kubeflow('applications/katib/upstream/installs/katib-with-kubeflow'))],
    crds: crds('kubeflow.org', 'experiments', 'suggestions', 'trials'),
    needs: ['kubeflow-base', 'kubeflow-gateway', 'cert-manager'],
    after: ['trainer', 'training-operator-v1'],
    ownedByControllers: [
      ...WEBHOOK_BUNDLES,
      { group: '', kind: 'Secret', name: 'katib-webhook-cert', pointers: ['/data'], reason: 'Katib or cert-manager creates the certificate of its webhook' },
    ],
  },
  {
    ...SHARED,
    name: 'model-registry',
    title: 'Model Registry, with a database and routes through the mesh',
    version: 'v0.3.5',
    parts: [
      part('registry', kubeflow('applications/model-registry/upstream/overlays/db')),
      part('istio', kubeflow('applications/model-registry/upstream/options/istio')),
      part('storage-initializer', kubeflow('applications/model-registry/upstream/options/csi')),
    ],
    crds: [],
    // The storage initializer is a ClusterStorageContainer of KServe.
    needs: ['kubeflow-base', 'kubeflow-gateway', 'kserve'],
  },
];
