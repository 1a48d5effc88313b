/** Stops what global-setup.ts started. */
import './global-setup';

export default async function tearDown(): Promise<void> {
  await Promise.all((globalThis.trainyardTestControlPlanes ?? []).map(async (controlPlane) => controlPlane.stop()));
}
