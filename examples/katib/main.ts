import { App, Chart } from 'cdk8s';
import { Checkpoint, Engine, Framework, Gpu, TuningGoal, TuningParameter, TuningScale } from 'trainyard';
import { HyperparameterSearch, KatibAlgorithm, SearchEngine } from 'trainyard/tuning';

const app = new App();
const chart = new Chart(app, 'katib', { namespace: 'team-a' });

// The same search runs on our operator without the line searchEngine.
new HyperparameterSearch(chart, 'Vision', {
  metadata: { name: 'vision' },
  searchEngine: SearchEngine.katib({ algorithm: KatibAlgorithm.multivariateTpe() }),
  objective: 'val_loss',
  goal: TuningGoal.MINIMIZE,
  maxTrials: 30,
  parallelTrials: 3,
  parameters: {
    learningRate: TuningParameter.float({ min: 0.0001, max: 0.1, scale: TuningScale.LOG }),
    batchSize: TuningParameter.ints(32, 64, 128),
    optimizer: TuningParameter.categorical('sgd', 'adamw'),
  },
  job: {
    framework: Framework.pytorch(),
    engine: Engine.trainer(),
    image: 'registry.example/vision:1',
    command: ['python', 'train.py'],
    args: ['--lr=$(learningRate)', '--batch-size=$(batchSize)', '--optimizer=$(optimizer)'],
    replicas: 2,
    resources: { gpu: Gpu.nvidia(1) },
    checkpoint: Checkpoint.at('gs://runs/vision'),
  },
});

app.synth();
