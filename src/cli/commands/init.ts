/** `trainyard init`: the files of a first program. */
import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { CliError } from '../cli-error';
import { Terminal } from '../../local/output/terminal';
import { programText } from '../../programs/program-text';

const DETAILS = `
Writes main.ts, cdk8s.yaml, tsconfig.json, .gitignore and package.json into FOLDER. Existing files are kept. Manifests go to manifests/,
which git does not ignore, so that they can be committed and delivered by Argo CD or Flux.`;

/** A job that runs on any machine and any cluster: `trainyard run .` shows it at once. */
const PROGRAM = programText('init/main.ts.txt');

const CDK8S = `language: typescript
app: npx tsx main.ts
output: manifests
`;

const TSCONFIG = {
  compilerOptions: { target: 'es2022', module: 'nodenext', types: ['node'], strict: true, noEmit: true, skipLibCheck: true },
  include: ['*.ts'],
};

const GITIGNORE = `node_modules/
.trainyard/
`;

/** Packages that the program imports or is run by. */
const PACKAGES = ['cdk8s', 'cdk8s-plus-28', 'constructs'];
const TOOLS = ['cdk8s-cli', 'tsx', 'typescript', '@types/node'];

export function initCommand(): Command {
  return new Command('init')
    .description('write the files of a new program')
    .argument('[folder]', 'where to write them; created if it does not exist', '.')
    .addHelpText('after', DETAILS)
    .action(init);
}

function init(folder: string): void {
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is a file. Name a folder.`);
  }
  fs.mkdirSync(folder, { recursive: true });
  const terminal = new Terminal();
  for (const [name, text] of Object.entries(filesOf(folder))) {
    const exists = fs.existsSync(path.join(folder, name));
    if (!exists) {
      fs.writeFileSync(path.join(folder, name), text);
    }
    terminal.line(`${path.join(folder, name)}: ${exists ? 'kept, because it exists' : 'written'}`);
  }
  nextSteps(folder).forEach((line) => terminal.line(line));
}

function filesOf(folder: string): { readonly [name: string]: string } {
  const name = path.basename(path.resolve(folder)).toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+/, '') || 'jobs';
  return {
    'main.ts': PROGRAM,
    'cdk8s.yaml': CDK8S,
    'tsconfig.json': json(TSCONFIG),
    '.gitignore': GITIGNORE,
    'package.json': json({ name, version: '1.0.0', private: true, scripts: { synth: 'cdk8s synth', validate: 'trainyard validate .', typecheck: 'tsc' } }),
  };
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

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
