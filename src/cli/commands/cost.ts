/** `trainyard cost`: what jobs, services, pools and storage cost, before anything is applied. */
import fs from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../cli-error';
import { missingLines, reportJson, reportNotes, reportText } from '../cost/output';
import { stackResources, type StackResource } from '../cost/pulumi-preview';
import { PRICES_VARIABLE, readPrices } from '../cost/read-prices';
import { costReport, type CostReport } from '../cost/report';
import { readObjects } from '../manifests/read-objects';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { Terminal } from '../../local/output/terminal';
import { outputOption } from '../options';

interface CostFlags {
  readonly prices?: string;
  readonly hours?: number;
  readonly output: 'text' | 'json';
}

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a folder of manifests, a cdk8s app (main.ts, .js, .mjs), the folder of one, or what
"pulumi preview --json" and "pulumi stack export" write.

No prices are bundled: they differ between regions and contracts, and change. You provide the table; docs/teams/cost.md describes its format. A job
is estimated for the hours of its deadline, or for --hours if that is less or it has none. The exit code is 0 when everything has a price, 1
when something has none (it is listed), and 2 when FILE or the table cannot be read.`;

export function costCommand(): Command {
  return new Command('cost')
    .description('estimate GPU-hours and prices of jobs, services, pools and storage')
    .argument('<file...>', 'cdk8s apps, manifests, folders of manifests, previews of Pulumi')
    .addOption(new Option('-p, --prices <file>', `your price table (default: $${PRICES_VARIABLE})`))
    .addOption(new Option('--hours <number>', 'hours that each job and service runs').argParser(hours))
    .addOption(outputOption('text', 'json'))
    .addHelpText('after', DETAILS)
    .action((files: string[], flags: CostFlags) => {
      process.exitCode = cost(files, flags);
    });
}

function hours(text: string): number {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) {
    throw new InvalidArgumentError('It must be a number above 0, such as 24 or 0.5.');
  }
  return number;
}

function cost(files: readonly string[], flags: CostFlags): number {
  const prices = readPrices(flags.prices);
  const { objects, resources } = readAll(files);
  const report = costReport({ objects, resources, prices, hours: flags.hours });
  const rows = [report.jobs, report.services, report.pools, report.stores, report.others].flat();
  if (rows.length === 0) {
    throw new CliError(`${files.join(', ')}: there is nothing to price: no pods, no pools, no claims.`);
  }
  write(report, flags.output);
  return report.prices === undefined || report.missing.length > 0 ? 1 : 0;
}

function readAll(files: readonly string[]): { readonly objects: readonly ManifestObject[]; readonly resources: readonly StackResource[] } {
  const stacks = files.map((file) => {
    const isText = file.endsWith('.json') && fs.existsSync(file) && fs.statSync(file).isFile();
    return isText ? stackResources(fs.readFileSync(file, 'utf8')) : undefined;
  });
  const manifests = files.filter((_file, index) => stacks[index] === undefined);
  return {
    objects: manifests.length === 0 ? [] : readObjects(manifests).map(({ located }) => located.object),
    resources: stacks.flatMap((resources) => resources ?? []),
  };
}

function write(report: CostReport, output: CostFlags['output']): void {
  const terminal = new Terminal();
  terminal.result(output, reportJson(report), (paint) => reportText(report, paint));
  if (output === 'json') {
    return;
  }
  reportNotes(report).forEach((note) => terminal.note(`trainyard: ${note}`));
  if (report.prices === undefined) {
    terminal.warn(`there is no price table, so these are hours only. None is bundled: prices differ between regions and contracts. Set yours with --prices FILE or ${PRICES_VARIABLE}; docs/teams/cost.md describes its format. It needs:`);
  }
  missingLines(report).forEach((line) => terminal.note(terminal.paintErr(report.prices === undefined ? `  ${line}` : `trainyard: ${line}`, 'yellow')));
}
