/** Format of a model. KServe selects a runtime that supports it. */
export class ModelFormat {
  /** scikit-learn: `model.joblib` or `model.pkl`. */
  public static readonly SKLEARN = new ModelFormat('sklearn');
  /** XGBoost: `model.bst`, `model.json` or `model.ubj`. */
  public static readonly XGBOOST = new ModelFormat('xgboost');
  /** LightGBM: `model.bst`. */
  public static readonly LIGHTGBM = new ModelFormat('lightgbm');
  /** CatBoost: `model.cbm`. */
  public static readonly CATBOOST = new ModelFormat('catboost');
  /** An MLflow folder. */
  public static readonly MLFLOW = new ModelFormat('mlflow');
  /** A SavedModel in a folder named after its version. */
  public static readonly TENSORFLOW = new ModelFormat('tensorflow');
  /** TorchServe's archive, or TorchScript in Triton. */
  public static readonly PYTORCH = new ModelFormat('pytorch');
  /** ONNX. */
  public static readonly ONNX = new ModelFormat('onnx');
  /** A TensorRT plan. */
  public static readonly TENSORRT = new ModelFormat('tensorrt');
  /** A Triton model repository. */
  public static readonly TRITON = new ModelFormat('triton');
  /** PMML. */
  public static readonly PMML = new ModelFormat('pmml');
  /** PaddlePaddle. */
  public static readonly PADDLE = new ModelFormat('paddle');
  /** A folder of Hugging Face's transformers, served with vLLM if possible. */
  public static readonly HUGGINGFACE = new ModelFormat('huggingface');

  /**
   * A format that your own runtime supports, or a certain version of one of the others.
   * @param name as the runtime spells it
   * @param version as the runtime spells it, such as `2`
   */
  public static of(name: string, version?: string): ModelFormat {
    return new ModelFormat(name, version);
  }

  /**
   * @param name as runtimes spell it
   * @param version as runtimes spell it
   */
  private constructor(public readonly name: string, public readonly version?: string) {}
}

/** Names of KServe's built-in serving runtimes, for `runtime`. */
export class BuiltInRuntime {
  /** scikit-learn. */
  public static readonly SKLEARN = 'kserve-sklearnserver';
  /** XGBoost. */
  public static readonly XGBOOST = 'kserve-xgbserver';
  /** LightGBM. */
  public static readonly LIGHTGBM = 'kserve-lgbserver';
  /** PMML. */
  public static readonly PMML = 'kserve-pmmlserver';
  /** PaddlePaddle. */
  public static readonly PADDLE = 'kserve-paddleserver';
  /** Seldon's MLServer: scikit-learn, XGBoost, LightGBM, MLflow. */
  public static readonly MLSERVER = 'kserve-mlserver';
  /** TensorFlow Serving. */
  public static readonly TENSORFLOW = 'kserve-tensorflow-serving';
  /** TorchServe. */
  public static readonly TORCHSERVE = 'kserve-torchserve';
  /** NVIDIA's Triton. */
  public static readonly TRITON = 'kserve-tritonserver';
  /** Hugging Face, with vLLM. */
  public static readonly HUGGINGFACE = 'kserve-huggingfaceserver';
  /** Hugging Face with vLLM on several nodes. */
  public static readonly HUGGINGFACE_MULTI_NODE = 'kserve-huggingfaceserver-multinode';

  private constructor() {}
}
