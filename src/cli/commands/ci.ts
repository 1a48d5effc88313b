/** `trainyard ci`: pipelines that check a program, show what a change changes, find drift, and promote. */
import fs from 'node:fs';
import path from 'node:path';
import { Argument, Command } from 'commander';
import { pipelineSpec, type PipelineFlags } from '../ci/pipeline-options';
import { pipelineText, WRITTEN_MARK } from '../ci/pipeline-text';
import { CliError } from '../cli-error';
import { Terminal } from '../../local/output/terminal';
import { constructGitHubWorkflows } from '../../manifests/ci/github';
import { constructGitLabPipeline } from '../../manifests/ci/gitlab';
import { SETTINGS_FILE } from '../../manifests/ci/spec';

interface CiFlags extends PipelineFlags {
  readonly check?: boolean;
  readonly force?: boolean;
}

const HOSTS = { github: constructGitHubWorkflows, gitlab: constructGitLabPipeline } as const;

const DETAILS = `
Writes .github/workflows/trainyard.yml, or .gitlab-ci.yml: lint, test, synth with validate, the changes of a pull or merge request as
one comment, and a check for drift, on each push and on a schedule. With a settings file of environments, there are jobs that promote.

package.json has the scripts 'lint' and 'test', cdk8s.yaml sets how the program is started and where manifests are committed; options
override this. A program in Python is linted by pyright and tested by pytest, in .venv. Options are recorded in the first line of
each file. --check writes nothing: its exit code is 1 when files differ.`;

export function ciCommand(): Command {
  return new Command('ci')
    .description('write pipelines for GitHub Actions or GitLab')
    .addArgument(new Argument('<host>', 'host of the repository').choices(Object.keys(HOSTS)))
    .option('-d, --directory <folder>', 'root of the repository', '.')
    .option('--app <app>', 'cdk8s app (default: the folder with its cdk8s.yaml)')
    .option('--manifests <folder>', 'committed manifests (default: the output of cdk8s.yaml, or dist)')
    .option('--branch <name>', 'branch that is deployed', 'main')
    .option('--node <version>', 'version of Node', '22')
    .option('--lint <command>', 'command that lints the program (default: npm run lint)')
    .option('--test <command>', 'command that tests the program (default: npm test)')
    .option('--synth <command>', 'command that writes the manifests (default: npx cdk8s synth)')
    .option('--schedule <cron>', 'when to check for drift', '17 4 * * *')
    .option('--settings <file>', `settings file of environments (default: ${SETTINGS_FILE}, if it exists)`)
    .option('--check', 'only report whether the files are up to date')
    .option('--force', 'replace files that were not written by this command')
    .addHelpText('after', DETAILS)
    .action((host: keyof typeof HOSTS, flags: CiFlags, command: Command) => {
      process.exitCode = writePipelines(host, flags, command);
    });
}

function writePipelines(host: keyof typeof HOSTS, flags: CiFlags, command: Command): number {
  const words = [host, ...givenOptions(command)];
  const files = HOSTS[host](pipelineSpec(flags)).map((file) => {
    const place = path.join(flags.directory, file.path);
    return { place, text: pipelineText(file, words), earlier: fs.existsSync(place) ? fs.readFileSync(place, 'utf8') : undefined };
  });
  const terminal = new Terminal();
  if (flags.check) {
    const differing = files.filter(({ text, earlier }) => earlier?.replace(/\r\n/g, '\n') !== text);
    differing.forEach(({ place, earlier }) => terminal.line(`${place} ${earlier === undefined ? 'is missing' : 'is out of date'}`));
    terminal.note(`trainyard: ${differing.length === 0 ? 'all files are up to date' : `write them with: trainyard ci ${words.join(' ')}`}`);
    return differing.length === 0 ? 0 : 1;
  }
  const foreign = files.find(({ earlier }) => earlier !== undefined && !earlier.startsWith(WRITTEN_MARK));
  if (foreign !== undefined && !flags.force) {
    throw new CliError(`${foreign.place} exists and was not written by this command. Rename it, or replace it with --force.`);
  }
  for (const { place, text, earlier } of files) {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
    terminal.line(`${place} ${earlier === undefined ? 'written' : earlier === text ? 'is unchanged' : 'changed'}`);
  }
  return 0;
}

/** The given options that change the files. */
function givenOptions(command: Command): string[] {
  return command.options.filter(({ long }) => !['--directory', '--check', '--force'].includes(long ?? ''))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .flatMap((option) => [option.long!, String(command.getOptionValue(option.attributeName()))]);
}
