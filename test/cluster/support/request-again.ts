import { apiRequest, type ApiAccess, type ApiResponse } from '../../../src/local/control-plane';
import type { TestObject } from './cluster';

const MAX_TRIES = 50;
const RETRY_MS = 100;

/**
 * Asks again while the API server answers with a status that says that nothing was done: 429 while a definition that was just installed is not quite
 * there, and 503 while the storage of what a definition was before its change still answers. The last answer is given when it goes on like that.
 */
export async function requestAgainWhile(
  statuses: readonly number[], access: ApiAccess, method: string, path: string, options: Parameters<typeof apiRequest>[3],
): Promise<ApiResponse<TestObject>> {
  for (let tries = 0; ; tries++) {
    const answer = await apiRequest<TestObject>(access, method, path, options);
    if (!statuses.includes(answer.status) || tries >= MAX_TRIES) {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
