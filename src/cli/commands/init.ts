/** `trainyard init`: the files of a first program. */
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command, Option } from 'commander';
import { pipelineSpec } from '../ci/pipeline-options';
import { pipelineText } from '../ci/pipeline-text';
import { CliError } from '../cli-error';
import { TEMPLATES, type Files } from '../init/templates';
import { Terminal } from '../../local/output/terminal';
import { constructGitHubWorkflows } from '../../manifests/ci/github';

interface InitFlags {
  readonly template?: string;
}

const NAMES = Object.keys(TEMPLATES);

const DETAILS = `
Writes a program and its settings into FOLDER. Existing files are kept. Manifests go to manifests/, which git does not ignore,
so that they can be committed and delivered by Argo CD or Flux.

Templates:
${Object.entries(TEMPLATES).map(([name, { title }]) => `  ${name.padEnd(8)} ${title}`).join('\n')}`;

/** Packages that the program imports or is run by. */
const PACKAGES = ['cdk8s', 'cdk8s-plus-28', 'constructs'];
const TOOLS = ['cdk8s-cli', 'tsx', 'typescript', '@types/node'];

export function initCommand(): Command {
  return new Command('init')
    .description('write the files of a new program')
    .argument('[folder]', 'where to write them; created if it does not exist', '.')
    .addOption(new Option('-t, --template <name>', `kind of project; a terminal is asked for it (default: ${NAMES[0]})`).choices(NAMES))
    .addHelpText('after', DETAILS)
    .action(init);
}

async function init(folder: string, flags: InitFlags): Promise<void> {
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is a file. Name a folder.`);
  }
  const { files, hasPipeline } = TEMPLATES[flags.template ?? await askForTemplate()];
  const terminal = new Terminal();
  write(terminal, folder, files(nameOf(folder)));
  if (hasPipeline) {
    const spec = pipelineSpec({ directory: folder, branch: 'main', node: '22', schedule: '17 4 * * *' });
    write(terminal, folder, Object.fromEntries(constructGitHubWorkflows(spec).map((file) => [file.path, pipelineText(file, ['github'])])));
  }
  nextSteps(folder).forEach((line) => terminal.line(line));
}

/** A person at a terminal is asked; a script gets the default. */
async function askForTemplate(): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    return NAMES[0];
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = (await terminal.question(`Template (${NAMES.join(', ')}) [${NAMES[0]}]: `)).trim() || NAMES[0];
      if (Object.hasOwn(TEMPLATES, answer)) {
        return answer;
      }
    }
  } finally {
    terminal.close();
  }
}

function write(terminal: Terminal, folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    const exists = fs.existsSync(file);
    if (!exists) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
    terminal.line(`${file}: ${exists ? 'kept, because it exists' : 'written'}`);
  }
}

/** The folder's name as a name of a package and of Kubernetes. */
function nameOf(folder: string): string {
  return path.basename(path.resolve(folder)).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^[-0-9]+/, '').slice(0, 40).replace(/-$/, '') || 'jobs';
}

function nextSteps(folder: string): string[] {
  const installed = packagesIn(path.join(folder, 'package.json'));
  const missing = (names: readonly string[]) => names.filter((name) => !installed.includes(name)).join(' ');
  const [packages, tools] = [missing(PACKAGES), missing(TOOLS)];
  return [
    '',
    'Next:',
    ...(path.resolve(folder) === process.cwd() ? [] : [`  cd ${folder}`]),
    ...(installed.includes('trainyard') ? [] : ['  npm install TARBALL       # of trainyard: npm pack writes it in a clone']),
    ...(packages === '' ? [] : [`  npm install ${packages}`]),
    ...(tools === '' ? [] : [`  npm install --save-dev ${tools}`]),
    '  npx trainyard run .       # the job as processes on this machine',
    '  npx trainyard validate .  # what is wrong with it',
    '  npx cdk8s synth           # manifests/, for kubectl apply -f',
  ];
}

function packagesIn(file: string): string[] {
  try {
    const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly [field: string]: object | undefined };
    return Object.keys({ ...dependencies, ...devDependencies });
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
