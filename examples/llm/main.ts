import { App, Chart, Duration, Size } from 'cdk8s';
import { EnvValue } from 'cdk8s-plus-28';
import { Accelerator } from 'trainyard';
import { LlmInferenceService, LocalModelCache, LocalModelNodeGroup, ModelStorage } from 'trainyard/serving';

const app = new App();
const chart = new Chart(app, 'llm', { namespace: 'team-a' });

// Nodes with local disks keep the weights, so that a further replica starts without a download.
const h100 = new LocalModelNodeGroup(chart, 'H100', {
  metadata: { name: 'h100' },
  limit: Size.tebibytes(2),
  path: '/mnt/disks/ssd0',
  nodeSelector: { 'cloud.google.com/gke-nodepool': 'h100' },
});
const model = ModelStorage.huggingFace('Qwen/Qwen3-235B-A22B');
new LocalModelCache(chart, 'Weights', { metadata: { name: 'qwen3-235b' }, model, size: Size.gibibytes(480), nodeGroups: [h100] });

// Replicas that read prompts hand their keys and values to those that write. Each answers from eight GPUs, found by their accelerator.
const qwen = new LlmInferenceService(chart, 'Qwen', {
  metadata: { name: 'qwen' },
  model,
  workload: {
    accelerator: Accelerator.NVIDIA_H100_80GB.count(8),
    parallelism: { tensor: 8, expert: true },
    scaling: { minReplicas: 2, maxReplicas: 6, scaleDownDelay: Duration.minutes(10) },
    env: { VLLM_LOGGING_LEVEL: EnvValue.fromValue('WARNING') },
  },
  prefill: { replicas: 2, accelerator: Accelerator.NVIDIA_H100_80GB.count(8), parallelism: { tensor: 8 } },
  router: { scheduler: {} },
  monitoring: { firstTokenWithin: Duration.seconds(2) },
});
qwen.addAdapter({ name: 'sql', storage: ModelStorage.huggingFace('team-a/qwen-sql-lora') });

app.synth();
