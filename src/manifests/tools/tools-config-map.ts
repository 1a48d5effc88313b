/** ConfigMap `NAME-tools` with the scripts that `spec.code`, `spec.debug` and `spec.preflight` run in the job's pods. */
import { preflightProgram } from './preflight-program';
import { codeFiles } from '../code/code-pod';
import { jobObjectMeta, type ObjectOwnership } from '../job/job-metadata';
import type { ConfigMap } from '../kubernetes';
import { plainObject } from '../plain-object';
import { toolsConfigMapName } from '../../model/names';
import { isDebugged } from '../../model/training-job/environment/debug-environment';
import { hasPreflight } from '../../model/training-job/preflight';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { programText } from '../../programs/program-text';

/** Keys of the ConfigMap. */
export const TOOL_FILES = { sitecustomize: 'sitecustomize.py', stacks: 'stacks.py', preflight: 'preflight.py' } as const;

/** Whether the job needs the ConfigMap. */
export function needsTools(job: ResolvedTrainingJob): boolean {
  return job.spec.code !== undefined || isDebugged(job) || hasPreflight(job);
}

export function constructToolsConfigMap(job: ResolvedTrainingJob, ownership: ObjectOwnership): ConfigMap {
  return plainObject<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: jobObjectMeta(job.name, toolsConfigMapName(job.name), ownership),
    data: {
      ...codeFiles(job),
      ...(isDebugged(job) && {
        [TOOL_FILES.sitecustomize]: programText('stacks/sitecustomize.py'), [TOOL_FILES.stacks]: programText('stacks/stacks.py'),
      }),
      ...(hasPreflight(job) && { [TOOL_FILES.preflight]: preflightProgram() }),
    },
  });
}
