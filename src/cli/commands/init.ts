/** `trainyard init`: the files of a first program. */
import fs from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { pipelineSpec } from '../ci/pipeline-options';
import { pipelineText } from '../ci/pipeline-text';
import { CliError } from '../cli-error';
import { nameOfFolder, nameProblem } from '../init/project-name';
import { ask, canAsk } from '../init/questions';
import { TEMPLATES, type Files } from '../init/templates';
import { Terminal } from '../../local/output/terminal';
import { constructGitHubWorkflows } from '../../manifests/ci/github';
import { appended } from '../options';

interface InitFlags {
  readonly template?: string;
  readonly name?: string;
  readonly from?: readonly string[];
}

const NAMES = Object.keys(TEMPLATES);

const DETAILS = `
Writes a program and its settings into FOLDER. Existing files are kept. Manifests go to manifests/, which git does not ignore,
so that they can be committed and delivered by Argo CD or Flux. A terminal is asked for template and name, unless an option is given.

--from starts from the manifests of jobs of Kubeflow, Ray and Kubernetes ("trainyard migrate --help" lists them), in the project of
the template '${NAMES[0]}'. Other objects are part of the program, and jobs that cannot be migrated are included unchanged.

Templates:
${Object.entries(TEMPLATES).map(([name, { title }]) => `  ${name.padEnd(8)} ${title}`).join('\n')}`;

export function initCommand(): Command {
  return new Command('init')
    .description('write the files of a new program')
    .argument('[folder]', 'where to write them; created if it does not exist', '.')
    .addOption(new Option('-t, --template <name>', `kind of project (default: ${NAMES[0]})`).choices(NAMES))
    .addOption(new Option('-n, --name <name>', 'name of the project (default: that of the folder)').argParser(projectName))
    .addOption(new Option('--from <path>', 'manifests to start from: a file, a folder, or "-" for standard input; repeatable')
      .argParser(appended).conflicts('template'))
    .addHelpText('after', DETAILS)
    .action(init);
}

function projectName(name: string): string {
  const problem = nameProblem(name);
  if (problem !== undefined) {
    throw new InvalidArgumentError(problem);
  }
  return name;
}

async function init(folder: string, flags: InitFlags): Promise<void> {
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is a file. Name a folder.`);
  }
  const isAsked = Object.keys(flags).length === 0 && canAsk();
  const asked = isAsked ? await ask(Object.entries(TEMPLATES).map(([name, { title }]) => [name, title]), nameOfFolder(folder)) : undefined;
  const template = TEMPLATES[flags.template ?? asked?.template ?? NAMES[0]];
  const name = flags.name ?? asked?.name ?? nameOfFolder(folder);
  const terminal = new Terminal();
  if (flags.from === undefined) {
    write(terminal, folder, template.files(name));
  } else {
    await writeFromManifests(terminal, folder, flags.from, name);
  }
  if (template.pipeline !== undefined) {
    const spec = pipelineSpec({ ...template.pipeline, directory: folder, branch: 'main', node: '22', schedule: '17 4 * * *' });
    write(terminal, folder, Object.fromEntries(constructGitHubWorkflows(spec).map((file) => [file.path, pipelineText(file, ['github'])])));
  }
  const steps = [...(path.resolve(folder) === process.cwd() ? [] : [`cd ${folder}`]), ...template.installation(folder), ...template.next];
  terminal.lines(['', 'Next:', ...steps.map((step) => `  ${step}`)]);
}

/** @throws CliError when there is a program: it would be kept, so the manifests would not be used */
async function writeFromManifests(terminal: Terminal, folder: string, from: readonly string[], name: string): Promise<void> {
  const program = path.join(folder, 'main.ts');
  if (fs.existsSync(program)) {
    throw new CliError(`${program} exists, and --from writes a new program. Name another folder.`);
  }
  // This module takes longer to load than most projects take to write.
  const { projectFromManifests } = await import('../init/from-manifests');
  const { files, report, failed } = projectFromManifests(from, name, terminal.paintErr);
  write(terminal, folder, files);
  report.forEach((line) => terminal.note(line));
  if (failed) {
    process.exitCode = 1;
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
