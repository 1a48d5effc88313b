/** `trainyard promote`: versions and images of one environment become those of the next, in the settings file. */
import fs from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../cli-error';
import { SettingsDocument, checkPromoted, planPromotion, specsOf, type PromotionPlan } from '../promote/promotion';
import { Terminal } from '../../local/output/terminal';
import { SETTINGS_FILE } from '../../manifests/ci/spec';
import { count } from '../text';

interface PromoteFlags {
  readonly file: string;
  readonly only?: readonly string[];
  readonly dryRun?: boolean;
}

const DETAILS = `
ENVIRONMENT is the target, or the source and the target: trainyard promote qa, or trainyard promote dev qa.

In the settings file of a program's environments, versions and images are copied from the source to the target; sizes and quotas
stay as they are. Synthesize and commit afterwards, or let the generated workflow do it (trainyard ci).`;

export function promoteCommand(): Command {
  return new Command('promote')
    .description('copy versions and images to an environment from the one before it')
    .argument('<environment...>', 'target environment, or source and target')
    .option('-f, --file <file>', 'settings file of the environments', SETTINGS_FILE)
    .addOption(new Option('--only <settings>', 'what to promote: versions, images, or their names, separated by commas (default: all)').argParser(settingNames))
    .option('--dry-run', 'only report what would change')
    .addHelpText('after', DETAILS)
    .action((names: string[], flags: PromoteFlags) => promote(names, flags));
}

function promote(names: readonly string[], { file, only, dryRun = false }: PromoteFlags): void {
  if (names.length > 2) {
    throw new CliError(`promote ${names.join(' ')}: at most two environments, the source and the target.`);
  }
  const document = SettingsDocument.read(file);
  const environments = specsOf(document.environments);
  const plan = planPromotion(environments, names, only);
  checkPromoted(environments, plan);
  const terminal = new Terminal();
  terminal.lines(planLines(plan));
  plan.onlyInTarget.forEach((setting) => terminal.note(`note: ${setting} is only in '${plan.to}', and stays unchanged`));
  if (plan.settings.length > 0 && !dryRun) {
    fs.writeFileSync(file, document.withSettings(plan.to, plan.settings));
  }
  terminal.note(`trainyard: ${summary(plan, file, dryRun)}`);
}

function planLines({ settings }: PromotionPlan): string[] {
  return settings.map(({ kind, name, before, after }) => `${kind}.${name}: ${before ?? '(none)'} -> ${after}`);
}

function summary({ from, to, settings }: PromotionPlan, file: string, dryRun: boolean): string {
  if (settings.length === 0) {
    return `'${to}' is up to date with '${from}'.`;
  }
  const what = count(settings.length, 'setting');
  return dryRun ? `${what} would be promoted from '${from}' to '${to}'.` : `${what} promoted from '${from}' to '${to}' in ${file}. Synthesize and commit it.`;
}

function settingNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) {
    throw new InvalidArgumentError('It is a list of names, such as images,versions.kueue.');
  }
  return names;
}
