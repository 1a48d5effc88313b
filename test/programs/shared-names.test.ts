/** Names that programs share with what is around them: both sides write them down, and mean the same. */
import { COMMENT_FILE, DIFF_COMMENT_MARKER } from '../../src/manifests/ci/commands';
import { RETRIES_ANNOTATION, RETRY_OF_ANNOTATION } from '../../src/manifests/argo-cd/actions';
import { LAUNCH_LOG_VARIABLE, LAUNCH_STATE_VARIABLE } from '../../src/manifests/engines/launched/launched-container';
import { RAY_ROLE_RESOURCE_PREFIX } from '../../src/manifests/engines/ray/pods';
import { MPI_SECRET_PATH } from '../../src/manifests/job/mpi-files';
import { TOKEN_FOLDER } from '../../src/manifests/pipelines/pipeline';
import { PREFLIGHT_VARIABLE } from '../../src/manifests/tools/preflight-program';
import { STACKS_MARK, STACKS_PATH_VARIABLE } from '../../src/manifests/tools/stacks';
import { HOOK_ANNOTATION, HOOK_DELETE_POLICY_ANNOTATION, SYNC_OPTIONS_ANNOTATION, SYNC_WAVE_ANNOTATION } from '../../src/model/argo-cd/annotations';
import { EVENT_PLACEHOLDER, ID_PLACEHOLDER, LAUNCHER_LABEL } from '../../src/model/events/spec';
import { HOST_DISCOVERY_SCRIPT, MPI_KEY_PATH } from '../../src/model/frameworks/mpi';
import { QUEUE_NAME_LABEL } from '../../src/model/kueue-names';
import { RESUME_ANNOTATION } from '../../src/model/labels';
import { EXIT_CODE_ANNOTATION } from '../../src/local/control-plane/fake-nodes';
import { PROCESS_TAG_VARIABLE } from '../../src/local/process/process-guard';
import { programText } from '../../src/programs/program-text';

test.each([
  ['argo-cd/shared.lua', programText('argo-cd/shared.lua'), [`'${QUEUE_NAME_LABEL}'`]],
  ['argo-cd/actions/training-job-resume.lua', programText('argo-cd/actions/training-job-resume.lua'), [`'${RESUME_ANNOTATION}'`]],
  ['argo-cd/actions/retry.lua', programText('argo-cd/actions/retry.lua'), [
    HOOK_ANNOTATION, HOOK_DELETE_POLICY_ANNOTATION, SYNC_WAVE_ANNOTATION, SYNC_OPTIONS_ANNOTATION, RESUME_ANNOTATION, RETRIES_ANNOTATION,
    RETRY_OF_ANNOTATION,
  ].map((name) => `['${name}'] = true`)],
  ['ci/gitlab-comment.mjs', programText('ci/gitlab-comment.mjs'), [`'${DIFF_COMMENT_MARKER}'`, `'${COMMENT_FILE}'`]],
  ['events/launcher.py', programText('events/launcher.py'), [`'${ID_PLACEHOLDER}'`, `'${EVENT_PLACEHOLDER}'`, `'${LAUNCHER_LABEL}='`]],
  ['kwok/pod-ended.yaml.tmpl', programText('kwok/pod-ended.yaml.tmpl'), [`"${EXIT_CODE_ANNOTATION}"`]],
  ['launched/program.py', programText('launched/program.py'), [`('${LAUNCH_STATE_VARIABLE}', '${LAUNCH_LOG_VARIABLE}')`]],
  ['launched/stop.sh', programText('launched/stop.sh'), [`$${LAUNCH_STATE_VARIABLE}/`]],
  ['local/watchdog.sh', programText('local/watchdog.sh'), [`"${PROCESS_TAG_VARIABLE}=`]],
  ['mpi/prepare.sh', programText('mpi/prepare.sh'), [`${MPI_SECRET_PATH}/`, `${MPI_KEY_PATH}/`, `/${HOST_DISCOVERY_SCRIPT}`]],
  ['mpi/worker.sh', programText('mpi/worker.sh'), [`${MPI_KEY_PATH}/environment`]],
  ['mpi/session.sh', programText('mpi/session.sh'), [`${MPI_KEY_PATH}/environment`]],
  ['pipelines/run.py', programText('pipelines/run.py'), [`'${TOKEN_FOLDER}/token'`]],
  ['preflight/base.py', programText('preflight/base.py'), [`'${PREFLIGHT_VARIABLE}'`]],
  ['ray/driver.py', programText('ray/driver.py'), [`'${RAY_ROLE_RESOURCE_PREFIX}'`]],
  ['spark/driver.py', programText('spark/driver.py'), [`'${LAUNCH_STATE_VARIABLE}'`]],
  ['stacks/sitecustomize.py', programText('stacks/sitecustomize.py'), [`'${STACKS_PATH_VARIABLE}'`]],
  ['stacks/stacks.py', programText('stacks/stacks.py'), [`'${STACKS_MARK}: `]],
])('%s', (_file, text, names) => {
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});
