import { App, Chart } from 'cdk8s';
import { Framework, HelperFailure, JobGroup } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'job-group');

// Reinforcement learning: a learner, actors that play for it, and an evaluator that nobody waits for.
new JobGroup(chart, 'Bandit', {
  metadata: { name: 'bandit' },
  primary: {
    framework: Framework.plain(),
    image: 'registry.example/bandit-learner:1',
    command: ['python3', 'learner.py'],
    roles: [{ name: 'learner' }],
  },
  helpers: [
    { name: 'actor', replicas: 3, image: 'registry.example/bandit-actor:1', command: ['python3', 'actor.py'] },
    { name: 'evaluator', image: 'registry.example/bandit-actor:1', command: ['python3', 'evaluator.py'], onFailure: HelperFailure.IGNORE },
  ],
  hyperparameters: { ARMS: '10', EPISODES: '3000' },
});

app.synth();
