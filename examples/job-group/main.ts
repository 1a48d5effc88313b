import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Framework, HelperFailure, JobGroup } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'job-group');

const resources = { cpu: Cpu.units(1), memory: Size.mebibytes(512) };

// Reinforcement learning: a learner, actors that play for it, and an evaluator that nobody waits for.
new JobGroup(chart, 'Bandit', {
  metadata: { name: 'bandit' },
  primary: {
    framework: Framework.plain(),
    image: 'registry.example/bandit-learner:1',
    command: ['python3', 'learner.py'],
    roles: [{ name: 'learner' }],
    resources,
  },
  helpers: [
    { name: 'actor', replicas: 3, image: 'registry.example/bandit-actor:1', command: ['python3', 'actor.py'], resources },
    { name: 'evaluator', image: 'registry.example/bandit-actor:1', command: ['python3', 'evaluator.py'], resources, onFailure: HelperFailure.IGNORE },
  ],
  hyperparameters: { ARMS: '10', EPISODES: '3000' },
});

app.synth();
