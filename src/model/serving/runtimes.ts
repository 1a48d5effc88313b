/** The serving runtimes that KServe 0.20 comes with, and what each of them serves. */

/** Formats of the built-in ClusterServingRuntimes. */
const BUILT_IN: { readonly [runtime: string]: readonly string[] } = {
  'kserve-sklearnserver': ['sklearn'],
  'kserve-xgbserver': ['xgboost'],
  'kserve-lgbserver': ['lightgbm'],
  'kserve-pmmlserver': ['pmml'],
  'kserve-paddleserver': ['paddle'],
  'kserve-predictiveserver': ['sklearn', 'xgboost', 'lightgbm'],
  'kserve-mlserver': ['sklearn', 'xgboost', 'lightgbm', 'mlflow', 'catboost'],
  'kserve-tensorflow-serving': ['tensorflow'],
  'kserve-torchserve': ['pytorch'],
  'kserve-tritonserver': ['tensorrt', 'tensorflow', 'onnx', 'pytorch', 'triton'],
  'kserve-huggingfaceserver': ['huggingface'],
  'kserve-huggingfaceserver-multinode': ['huggingface'],
};

/** Formats of a built-in runtime; undefined for runtimes of others, of which nothing is known here. */
export function formatsOfRuntime(runtime: string): readonly string[] | undefined {
  return Object.hasOwn(BUILT_IN, runtime) ? BUILT_IN[runtime] : undefined;
}
