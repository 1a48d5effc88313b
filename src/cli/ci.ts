/** `trainyard ci`: pipelines that check a program, show what a change changes, find drift, and promote. */
import fs from 'node:fs';
import path from 'node:path';
import { Argument, Command } from 'commander';
import { pipelineSpec, type PipelineFlags } from './ci/pipeline-options';
import { pipelineText, WRITTEN_MARK } from './ci/pipeline-text';
import { CliError } from './cli-error';
import { Terminal } from '../local/output/terminal';
import { constructGitHubWorkflows } from '../manifests/ci/github';
import { constructGitLabPipeline } from '../manifests/ci/gitlab';
import { SETTINGS_FILE } from '../manifests/ci/spec';

interface CiFlags extends PipelineFlags {
  readonly check?: boolean;
  readonly force?: boolean;
}

const HOSTS = { github: constructGitHubWorkflows, gitlab: constructGitLabPipeline } as const;

const DETAILS = `
Writes .github/workflows/trainyard.yml, or .gitlab-ci.yml: lint, test, synth with validate, what a pull or merge request changes as
one comment, and a check for drift, on each push and by a schedule. With a settings file of environments there are jobs that promote.

package.json has the scripts 'lint' and 'test', cdk8s.yaml says how the program is started and where manifests are committed; options
say otherwise. Options are noted in the first line of what is written. --check writes nothing: its exit code is 1 when files differ.`;

/** The sub-command. */
export function ciCommand(): Command {
  return new Command('ci')
    .description('write pipelines for GitHub Actions or GitLab')
    .addArgument(new Argument('<host>', 'where the repository is').choices(Object.keys(HOSTS)))
    .option('-d, --directory <folder>', 'root of the repository', '.')
    .option('--app <app>', 'cdk8s app (default: the folder with its cdk8s.yaml)')
    .option('--manifests <folder>', 'committed manifests (default: the output of cdk8s.yaml, or dist)')
    .option('--branch <name>', 'branch that is delivered', 'main')
    .option('--node <version>', 'version of Node', '22')
    .option('--lint <command>', 'how the program is linted (default: npm run lint)')
    .option('--test <command>', 'how the program is tested (default: npm test)')
    .option('--synth <command>', 'how manifests are written (default: npx cdk8s synth)')
    .option('--schedule <cron>', 'when drift is looked for', '17 4 * * *')
    .option('--settings <file>', `settings file of environments (default: ${SETTINGS_FILE}, where it is there)`)
    .option('--check', 'only say whether the files are as they would be written')
    .option('--force', 'replace files that were not written by this command')
    .addHelpText('after', DETAILS)
    .action((host: keyof typeof HOSTS, flags: CiFlags, command: Command) => {
      process.exitCode = writePipelines(host, flags, command);
    });
}

function writePipelines(host: keyof typeof HOSTS, flags: CiFlags, command: Command): number {
  const words = [host, ...givenOptions(command)];
  const files = HOSTS[host](pipelineSpec(flags)).map((file) => ({ place: path.join(flags.directory, file.path), text: pipelineText(file, words) }));
  const current = files.map(({ place, text }) => ({ place, text, earlier: fs.existsSync(place) ? fs.readFileSync(place, 'utf8') : undefined }));
  const terminal = new Terminal();
  if (flags.check) {
    const differing = current.filter(({ text, earlier }) => earlier?.replace(/\r\n/g, '\n') !== text);
    differing.forEach(({ place, earlier }) => terminal.line(`${place} ${earlier === undefined ? 'is missing' : 'differs from what would be written'}`));
    terminal.note(`trainyard: ${differing.length === 0 ? 'all files are as they would be written' : `write them with: trainyard ci ${words.join(' ')}`}`);
    return differing.length === 0 ? 0 : 1;
  }
  const foreign = current.find(({ earlier }) => earlier !== undefined && !earlier.startsWith(WRITTEN_MARK));
  if (foreign !== undefined && !flags.force) {
    throw new CliError(`${foreign.place} is there, and was not written by this command. Rename it, or replace it with --force.`);
  }
  for (const { place, text, earlier } of current) {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
    terminal.line(`${place} ${earlier === undefined ? 'written' : earlier === text ? 'is as it was' : 'changed'}`);
  }
  return 0;
}

/** Options that change what is written, as they were given. */
function givenOptions(command: Command): string[] {
  return command.options.filter(({ long }) => !['--directory', '--check', '--force'].includes(long ?? ''))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .flatMap((option) => [option.long!, String(command.getOptionValue(option.attributeName()))]);
}
