/**
 * Health of the jobs of training-operator v1: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MXJob, and MPIJob in both of its versions, whose
 * statuses have the same conditions. None has an observedGeneration. MPIJob v2beta1 tells an eviction as a failure with the reason `MPIJobEvicted`.
 * @see https://github.com/kubeflow/trainer/blob/v1.9.4/pkg/apis/kubeflow.org/v1/common_types.go
 * @see https://github.com/kubeflow/mpi-operator/blob/v0.8.0/pkg/apis/kubeflow/v2beta1/types.go
 */
import { healthScript } from '../lua';

/** Conditions are asked in the order in which a job leaves them behind: those that ended it first. */
export const V1_JOB_HEALTH = healthScript(`
if is('Succeeded', 'True') then return answer('Healthy', because('Succeeded', condition('Succeeded'))) end
if is('Failed', 'True') then return answer('Degraded', because('Failed', condition('Failed'))) end
local early = unseen('The training operator')
if early ~= nil then return early end
local suspend = field(obj, 'spec', 'runPolicy', 'suspend')
if is('Suspended', 'True') then return held(suspend, condition('Suspended')) end
if suspend == true then return answer('Progressing', 'Is being suspended') end
if is('Restarting', 'True') then return answer('Progressing', because('Restarting', condition('Restarting'))) end
if is('Running', 'True') then return answer('Progressing', because('Running', condition('Running'))) end
return answer('Progressing', because('Starting', condition('Created')))
`);
