/** docs/engines/README.md: what each engine can do, written from the capability tables that refuse jobs at synth. */
import type { Support } from '../../src/manifests/engines/capabilities';
import type { EngineDefinition } from '../../src/manifests/engines/engine';
import { engines } from '../../src/manifests/engines/registry';
import { frameworkContract } from '../../src/model/frameworks/registry';
import { FIELD_PATHS } from '../../src/model/training-job/fields/field-paths';
import { FRAMEWORK_NAMES } from '../../src/model/training-job/spec';

/** What to say of each engine to somebody who chooses. */
const GUIDE: { readonly [engine: string]: readonly [factory: string, choose: string] } = {
  operator: ['Engine.operator()', 'The default. Everything on this page, one controller, no webhook. Choose it unless one of the reasons below holds.'],
  trainer: ['Engine.trainer()', 'Your platform runs Kubeflow Trainer v2, or data scientists submit to it with the Kubeflow SDK and platform jobs should look alike.'],
  'training-operator-v1': ['Engine.trainingOperatorV1()', 'Clusters still run training-operator v1, and tools around it (dashboards, Katib templates) expect PyTorchJob and its like.'],
  jobset: ['Engine.jobSet()', 'No training operator is wanted: JobSet is there for other reasons, with Kueue, and jobs are simple gangs. Also the way to TPU slices with exclusive placement.'],
  job: ['Engine.job()', 'Nothing may be installed. One role, Kubernetes\' own Indexed Job, retries of single ranks.'],
  volcano: ['Engine.volcano()', 'Volcano schedules the cluster: its queues, its gangs, its network topology.'],
  spark: ['Engine.spark()', 'A Spark platform is what you have, and training is the last step of its pipelines: programs run unchanged, one in each executor. Replicas have to be alike, and images need Spark.'],
  ray: ['Engine.ray()', 'KubeRay is what your platform runs and watches, or scripts use Ray themselves. Programs run unchanged, restarts keep their pods, and retries follow the run policy as on the operator. Images need Ray.'],
};

/** Renders the page. */
export function enginesPage(): string {
  const all = engines();
  const notes = new Notes();
  const fields = FIELD_PATHS.filter((field) => !field.startsWith('roles[].') || field === 'roles[].restartPolicy' || field === 'roles[].replicas');
  const body = [
    '## Frameworks',
    '',
    ...table(['', ...all.map(({ name }) => code(name))], FRAMEWORK_NAMES.map((name) => [
      frameworkContract(name).title, ...all.map(({ capabilities }) => cell(capabilities.frameworks[name], notes)),
    ])),
    '',
    '## Fields',
    '',
    'Fields that every engine has are left out: ' + everywhere(all, fields).map(code).join(', ') + '.',
    '',
    ...table(['`spec.`', ...all.map(({ name }) => code(name))], fields.filter((field) => !everywhere(all, fields).includes(field)).map((field) => [
      code(field), ...all.map(({ capabilities }) => cell(capabilities.fields[field], notes)),
    ])),
    '',
    '## Notes',
    '',
    ...notes.list(),
  ];
  return [
    '<!-- Written by `npm run docs` from src/manifests/engines. Change the capabilities there, not this file. -->',
    '# Engines',
    '',
    'The same `TrainingJob` runs on any engine. What an engine cannot do is an error at synth, which names the field, the engine and the engines that can; nothing',
    'that a job asks for is dropped. A field that is not given has the same meaning everywhere, and the engine\'s page says where it differs.',
    '',
    '## Which one',
    '',
    ...table(['Engine', 'Written for', 'Choose it when'], all.map((engine) => {
      const [factory, choose] = guide(engine);
      return [`[${code(factory)}](${pageOf(engine)})`, engine.upstream ?? 'Trainyard', choose];
    })),
    '',
    ...body,
  ].join('\n').replace(/\n{3,}/g, '\n\n').trimEnd() + '\n';
}

/** Fields that no engine limits. */
function everywhere(all: readonly EngineDefinition[], fields: typeof FIELD_PATHS): typeof FIELD_PATHS {
  return fields.filter((field) => all.every(({ capabilities }) => capabilities.fields[field] === true));
}

function cell(support: Support, notes: Notes): string {
  if (support === true) {
    return 'yes';
  }
  return 'no' in support ? `–${notes.mark(`The engine ${support.no}.`)}` : `partly${notes.mark(`Within limits: ${support.partly}.`)}`;
}

function guide({ name }: EngineDefinition): readonly [factory: string, choose: string] {
  const found = GUIDE[name];
  if (found === undefined) {
    throw new Error(`docs/engines/README.md: engine '${name}' has no line in the guide. Add it to GUIDE in scripts/docs/engines-page.ts.`);
  }
  return found;
}

function pageOf({ name }: EngineDefinition): string {
  return name === 'operator' ? '../operator/README.md' : `${name}.md`;
}

/** Footnotes; the same words are one note. */
class Notes {
  private readonly numbers = new Map<string, number>();

  public mark(words: string): string {
    const number = this.numbers.get(words) ?? this.numbers.size + 1;
    this.numbers.set(words, number);
    return ` [${number}](#note-${number})`;
  }

  public list(): string[] {
    return [...this.numbers].map(([words, number]) => `${number}. <a id="note-${number}"></a>${words}`);
  }
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}

function code(text: string): string {
  return `\`${text}\``;
}
