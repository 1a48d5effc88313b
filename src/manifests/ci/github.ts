/**
 * Workflows of GitHub Actions. Jobs that run the program's own code, which a pull request may have written, have a read-only token;
 * jobs that write run no code of the program, and get a file from the others.
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
 * @see https://docs.github.com/actions/reference/security/secure-use
 */
import {
  BASE_FOLDER, COMMENT_FILE, COMMIT_PROMOTION, DIFF_COMMENT_MARKER, PROMOTION_PATCH, diffCommand, driftCommand, installPython, promoteCommands,
  validateCommand,
} from './commands';
import type { PipelineDocument, PipelineFile, PipelineSpec } from './spec';

/** Actions pinned to the commit of a release, which cannot be moved like a tag. */
const ACTIONS = {
  checkout: 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8', // v5.0.0
  setupNode: 'actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444', // v5.0.0
  setupPython: 'actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c', // v6.0.0
  upload: 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02', // v4.6.2
  download: 'actions/download-artifact@634f93cb2916e3fdff6788551b99b062d0335ce0', // v5.0.0
} as const;

/** Releases of the pinned commits, for the comments after them. */
export const ACTION_RELEASES: { readonly [action: string]: string } = {
  [ACTIONS.checkout]: 'v5.0.0', [ACTIONS.setupNode]: 'v5.0.0', [ACTIONS.setupPython]: 'v6.0.0', [ACTIONS.upload]: 'v4.6.2', [ACTIONS.download]: 'v5.0.0',
};

const RUNNER = 'ubuntu-latest';
const PYTHON_VERSION = '3.13';
const READ = { contents: 'read' };

/** The workflow of checks, and that of promotion where environments are promoted. */
export function constructGitHubWorkflows(spec: PipelineSpec): PipelineFile[] {
  return [
    {
      path: '.github/workflows/trainyard.yml',
      comment: ['Actions are pinned to the commits of their releases.'],
      content: checks(spec),
    },
    ...(spec.promotion === undefined ? [] : [{
      path: '.github/workflows/trainyard-promote.yml',
      comment: [
        'Pull requests need the setting "Allow GitHub Actions to create and approve pull requests". Pushes with the workflow\'s own token start no other',
        'workflow: with a GitHub App or personal token in the secret TRAINYARD_TOKEN (contents and pull requests: write), the checks run on them.',
      ],
      content: promotion(spec),
    }]),
  ];
}

function checks(spec: PipelineSpec): PipelineDocument {
  return {
    name: 'trainyard',
    on: { pull_request: {}, push: { branches: [spec.branch] }, schedule: [{ cron: spec.schedule }] },
    permissions: READ,
    concurrency: { group: 'trainyard-${{ github.ref }}-${{ github.event_name }}', 'cancel-in-progress': '${{ github.event_name == \'pull_request\' }}' },
    jobs: {
      lint: job(spec, [step('Lint', [spec.lint])]),
      test: job(spec, [step('Test', [spec.test])]),
      synth: job(spec, [step('Synthesize', [spec.synth]), step('Validate', [validateCommand(spec, 'github')])]),
      drift: job(spec, [step('Check for manual changes', [driftCommand(spec, 'github')])]),
      diff: {
        if: 'github.event_name == \'pull_request\'',
        ...job(spec, [
          step('Compare', [
            // If the base has no manifests, everything is new.
            `mkdir -p ${BASE_FOLDER}/${spec.manifests}`,
            diffCommand(spec),
            `cat ${COMMENT_FILE} >> "$GITHUB_STEP_SUMMARY"`,
          ]),
          { uses: ACTIONS.upload, with: { name: 'trainyard-diff', path: COMMENT_FILE, 'if-no-files-found': 'error', 'retention-days': 7 } },
        ], [{ name: 'Check out the base', uses: ACTIONS.checkout, with: { ref: '${{ github.event.pull_request.base.sha }}', path: BASE_FOLDER, 'persist-credentials': false } }]),
      },
      comment: {
        // The token of a pull request from a fork cannot comment: the text is in the summary.
        'if': 'github.event_name == \'pull_request\' && github.event.pull_request.head.repo.full_name == github.repository',
        'needs': 'diff',
        'runs-on': RUNNER,
        'timeout-minutes': 5,
        'permissions': { 'pull-requests': 'write' },
        'steps': [
          { uses: ACTIONS.download, with: { name: 'trainyard-diff' } },
          step('Write the comment', commentScript(), { GH_TOKEN: '${{ github.token }}', NUMBER: '${{ github.event.pull_request.number }}' }),
        ],
      },
    },
  };
}

/** One comment, which later runs change. */
function commentScript(): string[] {
  return [
    'comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"',
    `id="$(gh api --paginate "$comments" --jq '.[] | select(.user.type == "Bot" and (.body | startswith("${DIFF_COMMENT_MARKER}"))) | .id' | head -n 1)"`,
    'if [ -n "$id" ]; then',
    `  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@${COMMENT_FILE}`,
    'else',
    `  gh api --silent --method POST "$comments" --field body=@${COMMENT_FILE}`,
    'fi',
  ];
}

function promotion(spec: PipelineSpec): PipelineDocument {
  const { file, targets } = spec.promotion!;
  const automatic = targets.filter(({ mode }) => mode === 'automatic').map(({ name }) => name);
  return {
    name: 'trainyard-promote',
    on: {
      workflow_dispatch: { inputs: { environment: { description: 'Environment to promote to', type: 'choice', required: true, options: targets.map(({ name }) => name) } } },
      ...(automatic.length > 0 && { push: { branches: [spec.branch], paths: [file] } }),
    },
    permissions: READ,
    concurrency: { group: 'trainyard-promote', 'cancel-in-progress': false },
    jobs: {
      prepare: job(spec, [
        // Only what passes is promoted.
        step('Test', [spec.test]),
        step('Promote', promoteCommands(spec), { TARGETS: automatic.length > 0 ? `\${{ inputs.environment || '${automatic.join(' ')}' }}` : '${{ inputs.environment }}' }),
        { uses: ACTIONS.upload, with: { name: 'trainyard-promotion', path: PROMOTION_PATCH, 'if-no-files-found': 'error', 'retention-days': 7 } },
      ]),
      publish: {
        'needs': 'prepare',
        'runs-on': RUNNER,
        'timeout-minutes': 5,
        'permissions': { 'contents': 'write', 'pull-requests': 'write' },
        'env': { GH_TOKEN: '${{ secrets.TRAINYARD_TOKEN || github.token }}', BRANCH: spec.branch },
        'steps': [
          checkout(),
          { uses: ACTIONS.download, with: { name: 'trainyard-promotion' } },
          { if: 'github.event_name == \'workflow_dispatch\'', ...step('Open a pull request', pullRequestScript(), { TARGET: '${{ inputs.environment }}' }) },
          ...(automatic.length > 0 ? [{ if: 'github.event_name == \'push\'', ...step('Commit', commitScript(automatic)) }] : []),
        ],
      },
    },
  };
}

const AUTHOR = '-c user.name=trainyard -c user.email=trainyard@users.noreply.github.com';

function pullRequestScript(): string[] {
  return [
    ...COMMIT_PROMOTION,
    'git switch --create "promote/$TARGET"',
    `git ${AUTHOR} commit --message "Promote to $TARGET"`,
    'gh auth setup-git',
    'git push --force origin "promote/$TARGET"',
    'open="$(gh pr list --head "promote/$TARGET" --base "$BRANCH" --state open --json number --jq length)"',
    'if [ "$open" = 0 ]; then',
    '  gh pr create --head "promote/$TARGET" --base "$BRANCH" --title "Promote to $TARGET" '
    + '--body "Versions and images of the environment before $TARGET. The comment shows what changes."',
    'fi',
  ];
}

function commitScript(automatic: readonly string[]): string[] {
  return [
    ...COMMIT_PROMOTION,
    `git ${AUTHOR} commit --message 'Promote to ${automatic.join(', ')}'`,
    'gh auth setup-git',
    'git push origin "HEAD:$BRANCH"',
  ];
}

/** A read-only job that runs the program's own code. @param before steps between checkout and installation */
function job({ node, isPython }: PipelineSpec, steps: readonly object[], before: readonly object[] = []): object {
  return {
    'runs-on': RUNNER,
    'timeout-minutes': 20,
    'steps': [
      checkout(),
      ...before,
      // Programs in Python run the library in Node.
      { uses: ACTIONS.setupNode, with: { 'node-version': node, ...(!isPython && { cache: 'npm' }) } },
      ...(isPython ? [{ uses: ACTIONS.setupPython, with: { 'python-version': PYTHON_VERSION, cache: 'pip' } }] : []),
      { name: 'Install', run: isPython ? installPython() : 'npm ci' },
      ...steps,
    ],
  };
}

/** The token is not kept where the program's code could read it. */
function checkout(): object {
  return { uses: ACTIONS.checkout, with: { 'persist-credentials': false } };
}

function step(name: string, lines: readonly string[], env?: { readonly [name: string]: string }): object {
  return { name, ...(env !== undefined && { env }), run: lines.length === 1 ? lines[0] : `${lines.join('\n')}\n` };
}
