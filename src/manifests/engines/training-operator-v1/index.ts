/**
 * training-operator v1.9: a kind for each framework. It sets most of the replicas' environment itself. The rest of the model's contract is rendered
 * as far as a template can express it, so scripts find the same variables.
 * @see https://www.kubeflow.org/docs/components/trainer/legacy-v1/
 */
import { v1Capabilities, type TrainingOperatorV1Options } from './capabilities';
import { v1Kind } from './kinds';
import { renderV1Job, v1Environments } from './render';
import { validateForV1 } from './validation';
import type { EngineDefinition } from '../engine';
import { KUBEFLOW_V1_JOBS } from '../../../model/kinds/kubeflow-v1-jobs';
import { identityOf } from '../../../model/kinds/workload-kind';

export type { TrainingOperatorV1Options } from './capabilities';

export function trainingOperatorV1Engine(options: TrainingOperatorV1Options = {}): EngineDefinition {
  return {
    name: 'training-operator-v1',
    title: 'training-operator v1',
    upstream: 'Kubeflow training-operator v1.9',
    capabilities: v1Capabilities(options),
    kindOf: (framework) => {
      // Jobs of other frameworks are rejected later; until then they need some kind.
      const { kind } = v1Kind(framework) ?? v1Kind('pytorch')!;
      return { ...identityOf(KUBEFLOW_V1_JOBS.find((known) => known.kind === kind)!), hasScale: kind === 'PyTorchJob' };
    },
    validate: validateForV1,
    rendersMore: true,
    render: renderV1Job,
    environments: v1Environments,
  };
}
