import type { ServingComponentOptions } from './component';
import type { ModelStorage } from './models/model-storage';
import type { ServingProtocol } from './serving-mode';

/** Options of `Predictor.container`, of transformers and of explainers. */
export interface ContainerServerOptions extends ServingComponentOptions {
  /** Image of the server. */
  readonly image: string;

  /** Port that the server listens on. @default 8080 */
  readonly port?: number;

  /** Protocol that the server speaks. @default ServingProtocol.V1 */
  readonly protocol?: ServingProtocol;

  /**
   * What is downloaded or mounted before the server starts, at `/mnt/models` unless it says otherwise.
   * @default - nothing
   */
  readonly storage?: ModelStorage[];
}
