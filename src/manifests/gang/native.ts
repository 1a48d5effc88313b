/**
 * Kubernetes' own gang scheduling: a Workload that describes the job, a PodGroup from its template, and pods that name the group. It uses
 * `scheduling.k8s.io/v1alpha2` of Kubernetes 1.36; `v1alpha1` of 1.35 is different and has no PodGroup.
 * @see https://kubernetes.io/docs/concepts/workloads/workload-api/
 */
import { gangName, type GangRenderer } from './gang-renderer';
import { API_GROUP, TRAINING_JOB_KIND } from '../../model/labels';
import { jobObjectMeta } from '../job/job-metadata';

const API = { group: 'scheduling.k8s.io', version: 'v1alpha2' };

/** Name of the only template in the Workload. */
const TEMPLATE = 'replicas';

export const NATIVE: GangRenderer = {
  title: 'the Kubernetes Workload API',
  needs: 'It needs Kubernetes 1.36 with the feature gates GenericWorkload and GangScheduling, and the API server\'s flag '
    + '--runtime-config=scheduling.k8s.io/v1alpha2=true',
  resources: [{ ...API, plural: 'workloads', kind: 'Workload' }, { ...API, plural: 'podgroups', kind: 'PodGroup' }],

  objects(gang) {
    const name = gangName(gang.job);
    const meta = jobObjectMeta(gang.job.name, name, gang.ownership);
    const apiVersion = `${API.group}/${API.version}`;
    const schedulingPolicy = { gang: { minCount: gang.minimum } };
    return [
      {
        apiVersion,
        kind: 'Workload',
        metadata: meta,
        spec: {
          controllerRef: { apiGroup: API_GROUP, kind: TRAINING_JOB_KIND, name: gang.job.name },
          podGroupTemplates: [{ name: TEMPLATE, schedulingPolicy }],
        },
      },
      {
        apiVersion,
        kind: 'PodGroup',
        metadata: meta,
        spec: { podGroupTemplateRef: { workload: { workloadName: name, podGroupTemplateName: TEMPLATE } }, schedulingPolicy },
      },
    ];
  },

  pod: ({ job }) => ({ spec: { schedulingGroup: { podGroupName: gangName(job) } } }),
};
