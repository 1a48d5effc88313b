/**
 * Kubernetes' own gang scheduling: a Workload that says what the job is made of, a PodGroup made from its template, and pods that name the group.
 * Written against `scheduling.k8s.io/v1alpha2` as Kubernetes 1.36 serves it; 1.35's `v1alpha1` knows no PodGroup and is another thing.
 * @see https://kubernetes.io/docs/concepts/workloads/workload-api/
 */
import { gangName, type Gang, type GangRenderer, type GangResource } from './gang-renderer';
import { API_GROUP, TRAINING_JOB_KIND } from '../../model/labels';
import { jobObjectMeta } from '../job/job-metadata';

const API = { group: 'scheduling.k8s.io', version: 'v1alpha2' };

const RESOURCES: readonly GangResource[] = [
  { ...API, plural: 'workloads', kind: 'Workload' },
  { ...API, plural: 'podgroups', kind: 'PodGroup' },
];

/** Name of the only template in the Workload. */
const TEMPLATE = 'replicas';

/** See the top of this file. */
export const NATIVE: GangRenderer = {
  title: 'the Kubernetes Workload API',
  needs: 'It needs Kubernetes 1.36 with the feature gates GenericWorkload and GangScheduling, and the API server\'s flag '
    + '--runtime-config=scheduling.k8s.io/v1alpha2=true',
  resources: RESOURCES,

  objects(gang) {
    const name = gangName(gang.job);
    const meta = jobObjectMeta(gang.job.name, name, gang.ownership);
    const apiVersion = `${API.group}/${API.version}`;
    return [
      {
        apiVersion,
        kind: 'Workload',
        metadata: meta,
        spec: {
          controllerRef: { apiGroup: API_GROUP, kind: TRAINING_JOB_KIND, name: gang.job.name },
          podGroupTemplates: [{ name: TEMPLATE, schedulingPolicy: policy(gang) }],
        },
      },
      {
        apiVersion,
        kind: 'PodGroup',
        metadata: meta,
        spec: {
          podGroupTemplateRef: { workload: { workloadName: name, podGroupTemplateName: TEMPLATE } },
          schedulingPolicy: policy(gang),
        },
      },
    ];
  },

  pod: ({ job }) => ({ spec: { schedulingGroup: { podGroupName: gangName(job) } } }),
};

function policy(gang: Gang): object {
  return { gang: { minCount: gang.minimum } };
}
