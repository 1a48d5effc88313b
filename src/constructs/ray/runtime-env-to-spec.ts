/** From a runtime environment to the model's terms. */
import type { RayRuntimeEnv } from './runtime-env';
import type { RuntimeEnvSpec } from '../../model/ray/runtime-env';

/** In the model's terms. */
export function runtimeEnvSpec({ workingDir, pyModules, pip, uv, conda, envVars, more }: RayRuntimeEnv): RuntimeEnvSpec {
  return { workingDir, pyModules, pip, uv, conda, envVars, more };
}
