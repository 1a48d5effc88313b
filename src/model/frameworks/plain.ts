/** Any other program: roles as the user names them and the variables that every framework gets, nothing else. */
import { workersAlone, type FrameworkContract } from './contract';
import type { SuccessPolicy } from '../training-job/run-policy';
import type { EnvVarSpec } from '../training-job/spec';

export class PlainContract implements FrameworkContract {
  public readonly name = 'plain';
  public readonly title = 'plain containers';
  public readonly roles = [];
  public readonly peersByName = true;
  public readonly restartScope = 'replica';
  public readonly shortForm = workersAlone;

  public ports() {
    return [];
  }

  public successPolicy(): SuccessPolicy {
    return 'AllReplicas';
  }

  public environment(): EnvVarSpec[] {
    return [];
  }
}
