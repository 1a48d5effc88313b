/**
 * The errors that the pages on Spark and on jobs by events show are those that synth tells, and the READMEs of their examples show what these
 * write.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Chart, Size } from 'cdk8s';
import { Framework } from '../../src';
import { CronTraining, EventDrivenTraining, EventSource } from '../../src/constructs/events';
import { ScheduledSparkApplication, SparkApplication, SparkProgram, type SparkApplicationProps } from '../../src/constructs/spark';
import { EXAMPLES, synthesizeExample } from '../support/examples';
import { errorsOf } from '../support/synth-errors';

/** Lines of the code block behind the heading on errors. */
function shown(page: string): string[] {
  const text = readFileSync(path.join(__dirname, '..', '..', 'docs', page), 'utf8');
  const [block] = text.slice(text.indexOf('## Errors at synth')).split('\n\n').slice(1);
  return block.split('\n').map((line) => line.trim());
}

function told(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'docs', { namespace: 'ml' }));
  // cdk8s puts the construct's path in front.
  return errorsOf(app).map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

const APPLICATION: SparkApplicationProps = { metadata: { name: 'features' }, image: 'spark:4', program: SparkProgram.python('local:///opt/app/features.py') };
const JOB = { framework: Framework.pytorch(), image: 'registry.example/train:1', replicas: 2 };

test('errors of Spark', () => {
  const features = (props: Partial<SparkApplicationProps>) => told((chart) => new SparkApplication(chart, 'Features', { ...APPLICATION, ...props }));
  expect(shown('workloads/spark.md')).toEqual([
    ...features({ program: SparkProgram.python('/opt/app/features.py') }),
    ...features({ dependencies: { jars: ['s3://jobs/lib.jar'] } }),
    ...features({ executor: { memory: Size.mebibytes(256) } }),
    ...features({ sparkConf: { 'spark.executor.instances': '4' } }),
    ...features({ dynamicAllocation: { shuffleTracking: false } }),
    ...told((chart) => new ScheduledSparkApplication(chart, 'Features', { ...APPLICATION, metadata: { name: 'features-of-the-day-for-all-regions-of-the-world' }, schedule: '@daily' })),
  ]);
});

test('errors of jobs by events and by the time', () => {
  const byEvents = (source: EventSource) => told((chart) => new EventDrivenTraining(chart, 'OnDataset', { metadata: { name: 'on-dataset' }, source, job: JOB }));
  const byTime = (schedule: string, timeZone?: string) => told((chart) => new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, schedule, timeZone, job: JOB }));
  expect(shown('jobs/event-driven.md')).toEqual([
    ...byEvents(EventSource.pubSub('projects/my-project/topics/datasets')),
    ...byEvents(EventSource.kafka({ bootstrapServers: 'kafka:9092', topic: 'datasets', consumerGroup: 'training' })),
    ...byTime('0 0 30 2 *'),
    ...byTime('@daily', 'Berlin'),
  ]);
});

test.each(['spark', 'events'])('the kinds that the README of examples/%s shows are those that it writes, in their order', (name) => {
  const written = synthesizeExample(`${name}/main.ts`).get(`${name}.k8s.yaml`)!;
  const kinds = [...written.matchAll(/^kind: .*$/gm)].map(([line]) => `    ${line}`);
  expect(readFileSync(path.join(EXAMPLES, name, 'README.md'), 'utf8')).toContain(`dist/${name}.k8s.yaml\n${kinds.join('\n')}\n\n`);
});
