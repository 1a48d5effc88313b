/** `trainyard graph`: the resources of an app and their relations, as a picture. */
import fs from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { CliError } from '../cli-error';
import { GROUPINGS, type Grouping } from '../graph/boxes';
import { buildGraph } from '../graph/build-graph';
import { dotText, mermaidText } from '../graph/output-text';
import { svgText } from '../graph/output-svg';
import { filteredGraph, type GraphFilter, type ResourceGraph } from '../graph/resource-graph';
import { readObjects } from '../manifests/read-objects';
import { Terminal } from '../../local/output/terminal';
import { printableLines } from '../../model/text/printable';
import { count } from '../text';

/** Formats and their file extensions. */
const FORMATS = { svg: ['.svg'], mermaid: ['.mmd', '.mermaid'], dot: ['.dot', '.gv'], json: ['.json'] } as const;

type Format = keyof typeof FORMATS;

interface GraphFlags extends GraphFilter {
  readonly format?: Format;
  readonly output?: string;
  readonly group: Grouping;
  readonly made: boolean;
}

/** With more lines and resources, the layout takes minutes and is not readable. */
const MOST_IN_PICTURE = 2000;

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a folder of manifests, a cdk8s app (main.ts, .js, .mjs) or the folder of one.

The graph shows all resources, what they refer to (claims, secrets, queues, runtimes ...) and select, and, for each MLTrainingJob, what the
operator creates for it. References that are not in FILE are shown as missing. No cluster is contacted. The exit code is 0,
and 2 when FILE cannot be read.`;

export function graphCommand(): Command {
  return new Command('graph')
    .description('draw the resources of an app and their relations')
    .argument('<file...>', 'cdk8s apps, manifests, folders of manifests')
    .addOption(new Option('-f, --format <format>', 'output format (default: from the extension of the output, else mermaid)').choices(Object.keys(FORMATS)))
    .option('-o, --output <file>', 'output file (default: standard output)')
    .addOption(new Option('-g, --group <by>', 'how to group resources: by charts and their constructs, or by namespaces').choices(GROUPINGS).default('construct'))
    .option('--no-made', 'leave out what the operator creates; the job shows its relations')
    .option('-n, --namespace <name>', 'only resources of this namespace, and resources related to them')
    .option('-k, --kind <kind>', 'only resources of this kind, and resources related to them')
    .option('--name <name>', 'only resources of this name, and resources related to them')
    .addHelpText('after', DETAILS)
    .action((files: string[], flags: GraphFlags) => graph(files, flags));
}

function graph(files: readonly string[], flags: GraphFlags): void {
  const format = flags.format ?? formatOf(flags.output);
  const objects = readObjects(files);
  if (objects.length === 0) {
    throw new CliError(`There is nothing to draw: ${files.join(', ')} ${files.length === 1 ? 'has' : 'have'} no objects.`);
  }
  const { graph: whole, notes } = buildGraph(objects, { grouping: flags.group, made: flags.made });
  const { namespace, kind, name } = flags;
  const chosen = filteredGraph(whole, { namespace, kind, name });
  const text = written(chosen, format, `Resources of ${files.map((file) => (file === '-' ? 'standard input' : file)).join(', ')}`);
  const terminal = new Terminal();
  notes.forEach((note) => terminal.warn(note));
  if (flags.output === undefined) {
    terminal.line(text);
  } else {
    writeFile(flags.output, `${text}\n`);
    terminal.note(`trainyard: ${flags.output}: ${summary(chosen)}`);
  }
}

function formatOf(output: string | undefined): Format {
  const ending = output === undefined ? undefined : path.extname(output).toLowerCase();
  const found = (Object.keys(FORMATS) as Format[]).find((format) => (FORMATS[format] as readonly (string | undefined)[]).includes(ending));
  if (found === undefined && output !== undefined) {
    throw new CliError(`${output}: the format is unknown. Use one of the extensions ${Object.values(FORMATS).flat().join(', ')}, or set --format.`);
  }
  return found ?? 'mermaid';
}

function written(graphOf: ResourceGraph, format: Format, title: string): string {
  switch (format) {
    case 'mermaid': return mermaidText(graphOf);
    case 'dot': return dotText(graphOf);
    case 'json': return printableLines(JSON.stringify(graphOf, undefined, 2));
    case 'svg': {
      const size = graphOf.nodes.length + graphOf.edges.length;
      if (size > MOST_IN_PICTURE) {
        throw new CliError(`${size} resources and relations are too many for a picture of at most ${MOST_IN_PICTURE}. Choose some with --namespace, --kind or --name, `
          + 'leave out what the operator creates with --no-made, or draw --format dot with Graphviz.');
      }
      return svgText(graphOf, title);
    }
  }
}

function writeFile(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`Writing ${file}: ${(error as Error).message}`);
  }
}

/** `8 resources (5 created by the operator, 2 not in these manifests), 12 relations`. */
function summary({ nodes, edges }: ResourceGraph): string {
  const made = nodes.filter(({ origin }) => origin === 'made').length;
  const outside = nodes.filter(({ origin }) => origin === 'outside').length;
  const parts = [...(made > 0 ? [`${made} created by the operator`] : []), ...(outside > 0 ? [`${outside} not in these manifests`] : [])];
  return `${count(nodes.length, 'resource')}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}, ${count(edges.length, 'relation')}`;
}
