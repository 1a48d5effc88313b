/**
 * Pipelines and their versions as objects of Kubernetes, for installations that keep pipelines there (`kubernetes` as the pipeline store).
 *
 * A recurring run as a CronJob that starts it: a few lines of Python that use only its standard library and find the pipeline by its name. The
 * scheduled workflows of Kubeflow Pipelines refer to pipelines by ids, which are not known before the pipeline is applied.
 * @see https://www.kubeflow.org/docs/components/pipelines/reference/api/kubeflow-pipeline-api-spec/
 */
import type { Manifest } from '../kubernetes';
import type { PolicyRule } from '../operator-rbac';
import { plainObject } from '../plain-object';
import { labelsWithoutSidecar } from '../../model/mesh';
import type { PipelineFileSpec } from '../../model/pipelines/pipeline-file';
import { escapeReferences } from '../../model/variable-references';
import { programText } from '../../programs/program-text';

/** `apiVersion` of Pipelines and PipelineVersions. */
export const PIPELINES_API_VERSION = 'pipelines.kubeflow.org/v2beta1';

/** Display name and description. */
export interface PipelineText {
  readonly displayName?: string;
  readonly description?: string;
}

export function constructPipeline(name: string, text: PipelineText): Manifest & { readonly spec: object } {
  return plainObject({ apiVersion: PIPELINES_API_VERSION, kind: 'Pipeline', metadata: { name }, spec: { ...text } });
}

export function constructPipelineVersion(
  name: string, pipelineName: string, { pipelineSpec, platformSpec }: PipelineFileSpec, text: PipelineText & { readonly codeSourceURL?: string },
): Manifest & { readonly spec: object } {
  return plainObject({ apiVersion: PIPELINES_API_VERSION, kind: 'PipelineVersion', metadata: { name }, spec: { ...text, pipelineName, pipelineSpec, platformSpec } });
}

/** Where the pod's token for Kubeflow Pipelines is. */
export const TOKEN_FOLDER = '/var/run/secrets/kubeflow/pipelines';

/** Audience of the tokens that Kubeflow Pipelines takes. */
const AUDIENCE = 'pipelines.kubeflow.org';

/** What the program of a recurring run asks Kubeflow Pipelines for. */
export const RUN_RULES: readonly PolicyRule[] = [
  { apiGroups: ['pipelines.kubeflow.org'], resources: ['pipelines'], verbs: ['list'] },
  { apiGroups: ['pipelines.kubeflow.org'], resources: ['experiments'], verbs: ['list', 'create'] },
  { apiGroups: ['pipelines.kubeflow.org'], resources: ['runs'], verbs: ['create'] },
];

/** What {@link constructRecurringRun} needs to know. */
interface RecurringRunObject {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly concurrencyPolicy: string;
  readonly image: string;
  readonly serviceAccountName?: string;
  /** The program's settings. */
  readonly run: {
    readonly endpoint: string;
    readonly namespace?: string;
    readonly name: string;
    readonly pipeline: string;
    readonly version: string;
    readonly experiment: string;
    readonly parameters: { readonly [name: string]: unknown };
    readonly pipelineRoot?: string;
    readonly serviceAccount?: string;
  };
}

/** The object that is applied. */
export function constructRecurringRun(
  { name, schedule, timeZone, suspend, concurrencyPolicy, image, serviceAccountName, run }: RecurringRunObject,
): Manifest & { readonly spec: object } {
  return plainObject({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: {
      schedule,
      timeZone,
      suspend,
      concurrencyPolicy,
      jobTemplate: {
        spec: {
          // A second pod could start a second run.
          backoffLimit: 0,
          activeDeadlineSeconds: 600,
          ttlSecondsAfterFinished: 86_400,
          template: {
            metadata: { labels: labelsWithoutSidecar() },
            spec: {
              restartPolicy: 'Never',
              serviceAccountName,
              automountServiceAccountToken: false,
              securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
              containers: [{
                name: 'run',
                image,
                command: ['python3', '-c', escapeReferences(programText('pipelines/run.py'))],
                env: [{ name: 'TRAINYARD_RUN', value: escapeReferences(JSON.stringify(run)) }],
                securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
                resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
                volumeMounts: [{ name: 'token', mountPath: TOKEN_FOLDER, readOnly: true }],
              }],
              volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: AUDIENCE, expirationSeconds: 7200 } }] } }],
            },
          },
        },
      },
    },
  });
}
