/**
 * GitLab's pipeline. Comments and pushes need the token TRAINYARD_TOKEN, because the pipeline's own token is not sufficient.
 * @see https://docs.gitlab.com/ci/yaml/
 */
import {
  BASE_FOLDER, COMMENT_FILE, COMMIT_PROMOTION, diffCommand, driftCommand, installPython, PROMOTION_PATCH, promoteCommands, quoted, validateCommand,
} from './commands';
import type { PipelineDocument, PipelineFile, PipelineSpec } from './spec';
import { programText } from '../../programs/program-text';

const IN_MERGE_REQUEST = '$CI_PIPELINE_SOURCE == "merge_request_event"';

export function constructGitLabPipeline(spec: PipelineSpec): PipelineFile[] {
  return [{
    path: '.gitlab-ci.yml',
    comment: [
      `Drift is checked on each push, and by a schedule of the project: Build > Pipeline schedules, "${spec.schedule}".`,
      'Comments and promotions need TRAINYARD_TOKEN: a masked variable with a project access token (scopes api and write_repository).',
    ],
    content: pipeline(spec),
  }];
}

function pipeline(spec: PipelineSpec): PipelineDocument {
  return {
    workflow: {
      rules: [
        { if: IN_MERGE_REQUEST },
        { if: '$CI_PIPELINE_SOURCE == "schedule"' },
        { if: onBranch(spec) },
      ],
    },
    stages: ['check', 'compare', 'comment', ...(spec.promotion === undefined ? [] : ['promote'])],
    default: {
      image: `node:${spec.node}`,
      interruptible: true,
      timeout: '20 minutes',
      ...(spec.isPython ? {
        cache: { key: { files: ['requirements.txt'] }, paths: ['.pip/'] },
        // The image has Python, but virtual environments need a separate package.
        before_script: ['apt-get update -qq && apt-get install -qq -y python3-venv', installPython(' --cache-dir .pip')],
      } : {
        cache: { key: { files: ['package-lock.json'] }, paths: ['.npm/'] },
        before_script: ['npm ci --cache .npm --prefer-offline'],
      }),
    },
    lint: { stage: 'check', script: [spec.lint] },
    test: { stage: 'check', script: [spec.test] },
    synth: { stage: 'check', script: [spec.synth, validateCommand(spec, 'text')] },
    drift: { stage: 'check', script: [driftCommand(spec, 'text')] },
    diff: {
      stage: 'compare',
      needs: [],
      rules: [{ if: IN_MERGE_REQUEST }],
      script: [
        `mkdir -p ${BASE_FOLDER}/${spec.manifests}`,
        'git fetch --depth 1 origin "$CI_MERGE_REQUEST_DIFF_BASE_SHA"',
        // If the base has no manifests, everything is new.
        `if git cat-file -e "FETCH_HEAD:${spec.manifests}" 2> /dev/null; then git archive FETCH_HEAD ${quoted(spec.manifests)} | tar -x -C ${BASE_FOLDER}; fi`,
        diffCommand(spec),
        `cat ${COMMENT_FILE}`,
      ],
      artifacts: { paths: [COMMENT_FILE], expire_in: '7 days' },
    },
    comment: {
      ...withoutProgram(spec),
      stage: 'comment',
      needs: ['diff'],
      rules: [{ if: IN_MERGE_REQUEST }],
      // The text is in the log of the previous job.
      allow_failure: true,
      variables: { GIT_STRATEGY: 'none' },
      script: [`node --input-type=module - <<'PROGRAM'\n${programText('ci/gitlab-comment.mjs')}PROGRAM\n`],
    },
    ...(spec.promotion === undefined ? {} : promotion(spec)),
  };
}

/** Each target has a job that a person starts; automatic ones are promoted when the settings have changed. All of them run after the checks. */
function promotion(spec: PipelineSpec): PipelineDocument {
  const { file, targets } = spec.promotion!;
  const automatic = targets.filter(({ mode }) => mode === 'automatic').map(({ name }) => name);
  const prepared = { stage: 'promote', interruptible: false, artifacts: { paths: [PROMOTION_PATCH], expire_in: '7 days' } };
  const author = 'git -c user.name=trainyard -c user.email=trainyard@noreply.$CI_SERVER_HOST';
  const push = (ref: string, options = '') => `git push${options} "https://trainyard:$TRAINYARD_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git" "HEAD:${ref}"`;
  const publish = { ...withoutProgram(spec), stage: 'promote', interruptible: false };
  return {
    ...Object.fromEntries(targets.flatMap(({ name }) => [
      [`promote to ${name}`, {
        ...prepared, variables: { TARGETS: name }, script: promoteCommands(spec),
        rules: [{ if: onBranch(spec), when: 'manual', allow_failure: true }],
      }],
      [`merge request for ${name}`, {
        ...publish, needs: [`promote to ${name}`], variables: { TARGET: name },
        rules: [{ if: onBranch(spec) }],
        script: [
          ...COMMIT_PROMOTION,
          `${author} commit --message "Promote to $TARGET"`,
          push('refs/heads/promote/$TARGET', ` --force -o merge_request.create -o merge_request.target=${spec.branch} -o merge_request.title="Promote to $TARGET"`),
        ],
      }],
    ])),
    ...(automatic.length === 0 ? {} : {
      'promote automatically': {
        ...prepared, variables: { TARGETS: automatic.join(' ') }, script: promoteCommands(spec),
        rules: [{ if: `${onBranch(spec)} && $CI_PIPELINE_SOURCE == "push"`, changes: [file] }],
      },
      'commit promotion': {
        ...publish, needs: ['promote automatically'],
        rules: [{ if: `${onBranch(spec)} && $CI_PIPELINE_SOURCE == "push"`, changes: [file] }],
        script: [...COMMIT_PROMOTION, `${author} commit --message 'Promote to ${automatic.join(', ')}'`, push(`refs/heads/${spec.branch}`)],
      },
    }),
  };
}

/** A job that runs no code of the program. */
function withoutProgram({ node }: PipelineSpec): object {
  return { image: `node:${node}`, cache: [], before_script: [] };
}

function onBranch({ branch }: PipelineSpec): string {
  return `$CI_COMMIT_BRANCH == "${branch}"`;
}
