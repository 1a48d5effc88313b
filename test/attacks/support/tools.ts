/** What the tools, the operator and the constructs do with a manifest that somebody else wrote, and everything that they put out. */
import { Yaml } from 'cdk8s';
import { Definitions } from '../../../src/cli/crd/definitions';
import { reportJson, reportNotes, reportText, missingLines } from '../../../src/cli/cost/output';
import { costReport } from '../../../src/cli/cost/report';
import type { Comparison } from '../../../src/cli/diff/comparison';
import { compareAll, setsByEnvironment } from '../../../src/cli/diff/environments';
import { comparisonLines, comparisonSummary } from '../../../src/cli/diff/output';
import { comparisonMarkdown } from '../../../src/cli/diff/output-markdown';
import { findDrift } from '../../../src/cli/drift/drift';
import { driftCommands, driftLines, driftSummary } from '../../../src/cli/drift/output';
import { chooseReplicas, dotenvLines, tableLines } from '../../../src/cli/env/output';
import { seenReplicas } from '../../../src/cli/env/seen-variables';
import { diagnose } from '../../../src/cli/explain/job/diagnose';
import { diagnosisLines } from '../../../src/cli/explain/job/output';
import type { AnyObject } from '../../../src/cli/jobs/objects';
import type { Grouping } from '../../../src/cli/graph/boxes';
import { buildGraph } from '../../../src/cli/graph/build-graph';
import { dotText, mermaidText } from '../../../src/cli/graph/output-text';
import { svgText } from '../../../src/cli/graph/output-svg';
import type { ResourceGraph } from '../../../src/cli/graph/resource-graph';
import { migrateTexts } from '../../../src/cli/migrate/migration';
import { reportLines } from '../../../src/cli/migrate/report';
import { requireNames, type LocatedObject } from '../../../src/cli/read-manifests';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import type { ValidationResult } from '../../../src/cli/validate/diagnostic';
import { sarifLog } from '../../../src/cli/validate/output-sarif';
import { githubLines, textReport } from '../../../src/cli/validate/output-text';
import type { SourceObject } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { SGR } from '../../../src/local/output/colours';
import { Terminal } from '../../../src/local/output/terminal';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { engines } from '../../../src/manifests/engines/registry';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import { printableLines } from '../../../src/model/text/printable';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { formatViolation, formatViolations } from '../../../src/model/violations';
import { plan } from '../../../src/operator/training/plan/plan';
import { JobBuilder } from '../../operator/training/support/builders';
import { START } from '../../operator/training/support/planned-job';
import { snapshot } from '../../cli/explain/snapshots';

/** A manifest as the tools read it, and the one that it was before. */
export interface Subject {
  readonly text: string;
  readonly objects: readonly LocatedObject[];
  readonly before: readonly LocatedObject[];
}

const OWN_COLOUR = new RegExp(SGR.source, 'g');

/** What a tool puts out: through the terminal, and into files as it is. */
export class Outputs {
  public readonly texts: string[] = [];
  /** The last file. */
  public written = '';
  private readonly terminal: Terminal;

  public constructor(coloured: boolean) {
    // Colours of our own are taken away; what is left of them is somebody else's.
    const stream = { write: (text: string) => this.texts.push(text.replaceAll(OWN_COLOUR, '')) };
    this.terminal = new Terminal(stream, stream, coloured ? { FORCE_COLOR: '1' } : {});
  }

  public get paint() {
    return this.terminal.paintOut;
  }

  public lines(lines: readonly string[]): void {
    this.terminal.lines(lines);
  }

  public json(value: unknown): void {
    this.terminal.line(JSON.stringify(value, undefined, 2));
  }

  /** What goes to a file, an event, a condition: nothing looks at it any more. */
  public file(text: string | undefined): void {
    if (text !== undefined) {
      this.texts.push(text);
      this.written = text;
    }
  }

  /** A message on a line of its own. */
  public message(text: string): void {
    this.texts.push(text.replaceAll('\n', '\u0085 (a line end in a message)'));
  }
}

/** A call of one tool. What a user's mistake makes of it is an error that the command line shows. */
export type Tool = (subject: Subject, outputs: Outputs) => void;

const ENGINES = engines();

function jobOf({ objects: [first] }: Subject): { readonly name: string; readonly namespace?: string; readonly spec: TrainingJobSpec } | undefined {
  const { kind, metadata, spec } = first?.object ?? {};
  return kind === 'MLTrainingJob' && typeof metadata?.name === 'string' && metadata.name !== '' && typeof spec === 'object' && spec !== null
    ? { name: metadata.name, namespace: metadata.namespace, spec: spec as TrainingJobSpec } : undefined;
}

function sourcesOf(objects: readonly LocatedObject[]): SourceObject[] {
  return objects.map((located) => ({ located, file: 'job.yaml', place: 'job.yaml', hasText: true }));
}

const objectsOf = (located: readonly LocatedObject[]): ManifestObject[] => located.map(({ object }) => object);

/** Commands that need objects ask for these two words before anything else. */
function areNamed({ objects }: Subject): boolean {
  objects.forEach(requireNames);
  return objects.every(({ object }) => typeof object.kind === 'string' && typeof object.apiVersion === 'string');
}

function migrateTo(engine: EngineDefinition, form: 'typescript' | 'yaml'): Tool {
  return ({ text }, outputs) => {
    const result = migrateTexts([{ name: 'job.yaml', text }], { engine, form });
    outputs.lines(reportLines(result, outputs.paint));
    result.outputs.forEach(({ text: output }) => outputs.file(output));
  };
}

type Sides = readonly [before: readonly LocatedObject[], after: readonly LocatedObject[]];

function difference(sidesOf: (subject: Subject) => Sides, write: (comparison: Comparison, outputs: Outputs) => void): Tool {
  return (subject, outputs) => {
    if (areNamed(subject)) {
      const [before, after] = sidesOf(subject).map((side) => objectsOf(side));
      write(compareAll(setsByEnvironment(before.map((object) => ({ object, file: 'job.yaml' })), after.map((object) => ({ object })))), outputs);
    }
  };
}

function validation(write: (result: ValidationResult, outputs: Outputs) => void): Tool {
  const settings = { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED };
  return ({ objects }, outputs) => write(validateSources({ objects: sourcesOf(objects), diagnostics: [], warnings: [] }, settings), outputs);
}

function picture(grouping: Grouping, write: (graph: ResourceGraph) => string): Tool {
  return (subject, outputs) => {
    if (areNamed(subject)) {
      const { graph, notes } = buildGraph(sourcesOf(subject.objects), { grouping, made: true });
      outputs.lines(notes);
      outputs.file(write(graph));
    }
  };
}

/** All tools by name. */
export const TOOLS: { readonly [name: string]: Tool } = {
  'validation': (subject, outputs) => {
    const job = jobOf(subject);
    if (job !== undefined) {
      const violations = validateTrainingJob(job.name, job.spec);
      outputs.file(formatViolations(violations));
      violations.slice(0, 50).forEach((violation) => outputs.message(formatViolation(violation)));
    }
  },
  'planner': (subject, outputs) => {
    const job = jobOf(subject);
    if (job !== undefined) {
      const planned = plan({ job: new JobBuilder(job.name, job.spec, {}, 1).build(), pods: [], services: [], problems: [], now: START });
      planned.events.forEach(({ message }) => outputs.file(message));
      planned.status.conditions?.forEach(({ message }) => outputs.file(message));
    }
  },
  ...Object.fromEntries(ENGINES.map((engine): [string, Tool] => [`the engine ${engine.name}`, (subject, outputs) => {
    const job = jobOf(subject);
    const violations = job === undefined ? [] : validateForEngine(engine, job.name, job.spec);
    violations.slice(0, 5).forEach((violation) => outputs.message(formatViolation(violation)));
    if (job !== undefined && violations.length === 0) {
      engine.render(job);
    }
  }])),
  'migrate --as typescript': migrateTo(OPERATOR_ENGINE, 'typescript'),
  'migrate --as yaml': migrateTo(OPERATOR_ENGINE, 'yaml'),
  'migrate --to jobset': migrateTo(ENGINES.find(({ name }) => name === 'jobset')!, 'yaml'),
  'explain JOB': (subject, outputs) => {
    const [first] = subject.objects;
    if (areNamed(subject) && first !== undefined) {
      outputs.lines(diagnosisLines(diagnose(snapshot({ job: first.object as AnyObject })), outputs.paint));
    }
  },
  'diff': difference(({ before, objects }) => [before, objects], (comparison, outputs) => outputs.lines([...comparisonLines(comparison, false, outputs.paint), comparisonSummary(comparison)])),
  'diff --full': difference(({ before, objects }) => [before, objects], (comparison, outputs) => outputs.lines(comparisonLines(comparison, true, outputs.paint))),
  'diff, of what was there': difference(({ before, objects }) => [objects, before], (comparison, outputs) => outputs.lines(comparisonLines(comparison, true, outputs.paint))),
  'diff --output markdown': difference(({ before, objects }) => [before, objects], (comparison, outputs) => outputs.lines([comparisonMarkdown(comparison, true)])),
  'diff --output json': difference(({ before, objects }) => [objects, before], (comparison, outputs) => outputs.json(comparison)),
  'validate': validation((result, outputs) => {
    const { lines, summary } = textReport(result, outputs.paint);
    outputs.lines([...lines, summary]);
  }),
  'validate --output json': validation((result, outputs) => outputs.json(result)),
  'validate --output sarif': validation((result, outputs) => outputs.json(sarifLog(result, '1.0.0'))),
  'validate --output github': validation((result, outputs) => outputs.lines(githubLines(result))),
  'drift': ({ text, before }, outputs) => {
    const drift = findDrift([{ name: 'job.yaml', text }], [{ name: 'job.yaml', text: Yaml.stringify(...objectsOf(before)) }]);
    outputs.lines([...driftLines(drift, 'dist', outputs.paint), driftSummary(drift), ...driftCommands(drift, 'dist')]);
  },
  'graph --format mermaid': picture('construct', mermaidText),
  'graph --format dot': picture('namespace', dotText),
  'graph --format json': picture('none', (graph) => printableLines(JSON.stringify(graph, undefined, 2))),
  'graph --format svg': picture('construct', (graph) => (graph.nodes.length + graph.edges.length < 200 ? svgText(graph, 'Resources') : '')),
  'cost': (subject, outputs) => {
    if (areNamed(subject)) {
      const report = costReport({ objects: objectsOf(subject.objects), resources: [], hours: 2 });
      outputs.lines([...reportText(report, outputs.paint), ...reportNotes(report), ...missingLines(report)]);
      outputs.json(reportJson(report));
    }
  },
  'env': (subject, outputs) => {
    const job = jobOf(subject);
    if (job !== undefined && validateForEngine(OPERATOR_ENGINE, job.name, job.spec).length === 0) {
      const configMaps = objectsOf(subject.objects).filter(({ kind }) => kind === 'ConfigMap') as unknown as ConfigMap[];
      const all = seenReplicas(OPERATOR_ENGINE, job, configMaps);
      const chosen = chooseReplicas(all, {});
      outputs.lines([...tableLines(all, chosen, outputs.paint), ...dotenvLines(chosen[0])]);
      outputs.json(chosen);
    }
  },
};
