/** The programs that are compared: the same jobs as typed constructs with all checks, and as untyped objects of cdk8s. */
import { ApiObject, App, Chart, Size } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { Checkpoint, Framework, Gpu, RestartPolicy, TrainingJob } from '../../src';

interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Jobs as a user writes them. @returns the YAML */
export function synthTyped(jobs: number): string {
  const app = new App({ outdir: '/dev/null' });
  const chart = new Chart(app, 'jobs');
  for (let index = 0; index < jobs; index++) {
    new TrainingJob(chart, `Job${index}`, {
      metadata: { name: `job-${index}`, namespace: 'team', labels: { team: 'vision' } },
      framework: Framework.pytorch(),
      image: 'registry.example/train:1',
      command: ['torchrun', 'train.py'],
      replicas: 4,
      env: {},
      resources: { gpu: Gpu.nvidia(8), memory: Size.gibibytes(64) },
      hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
      checkpoint: Checkpoint.at(`s3://checkpoints/job-${index}`),
      runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
    });
  }
  return app.synthYaml();
}

/** The objects of a YAML text without any types. @returns the YAML */
export function synthUntyped(objects: readonly AnyObject[]): string {
  const app = new App({ outdir: '/dev/null' });
  const chart = new Chart(app, 'jobs');
  objects.forEach((object, index) => new ApiObject(chart, `Job${index}`, { ...object }));
  return app.synthYaml();
}

/** The objects of a YAML text. */
export function parseObjects(yaml: string): AnyObject[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as AnyObject);
}
