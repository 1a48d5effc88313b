/** The CustomResourceDefinition of MLTrainingJob. */
import type { Manifest } from './kubernetes';
import { plainObject } from './plain-object';
import { KEPT_ANNOTATIONS } from '../model/argo-cd/annotations';
import { API_GROUP, API_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../model/labels';
import { trainingJobSchema } from '../model/training-job/schema/training-job-schema';

export interface CustomResourceDefinition extends Manifest {
  readonly spec: { readonly [field: string]: unknown };
}

/** Columns of `kubectl get`. */
const PRINTER_COLUMNS = [
  { name: 'Framework', type: 'string', jsonPath: '.spec.framework' },
  { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Running or succeeded replicas out of the desired ones' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Progress', type: 'integer', jsonPath: '.status.trainerStatus.progressPercentage', description: 'Percentage reported by the script' },
  { name: 'Restarts', type: 'integer', jsonPath: '.status.restarts' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** Constructs the CRD, which is always the same. */
export function constructTrainingJobCrd(): CustomResourceDefinition {
  return plainObject<CustomResourceDefinition>({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${TRAINING_JOB_PLURAL}.${API_GROUP}`, annotations: { ...KEPT_ANNOTATIONS } },
    spec: {
      group: API_GROUP,
      scope: 'Namespaced',
      names: {
        kind: TRAINING_JOB_KIND,
        listKind: `${TRAINING_JOB_KIND}List`,
        plural: TRAINING_JOB_PLURAL,
        singular: TRAINING_JOB_KIND.toLowerCase(),
        shortNames: ['mltj'],
        categories: ['ml'],
      },
      versions: [{
        name: API_VERSION,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: trainingJobSchema() },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: PRINTER_COLUMNS,
      }],
    },
  });
}
