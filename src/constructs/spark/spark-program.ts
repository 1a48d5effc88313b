import type { SparkProgramSpec } from '../../model/spark/spec';

/**
 * The program of a Spark application. Files are URIs: `local:///opt/app/main.py` is one in the image, `gs://`, `s3a://`, `hdfs://` and `https://`
 * are fetched.
 */
export class SparkProgram {
  /**
   * A script of Python.
   * @param file URI that ends with `.py`
   */
  public static python(file: string): SparkProgram {
    return new SparkProgram({ type: 'Python', file });
  }

  /**
   * A class of a jar, written in Java.
   * @param jar URI of the jar
   * @param mainClass class with the method `main`
   */
  public static java(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Java', file: jar, mainClass });
  }

  /**
   * A class of a jar, written in Scala.
   * @param jar URI of the jar
   * @param mainClass object with the method `main`
   */
  public static scala(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Scala', file: jar, mainClass });
  }

  /**
   * A script of R.
   * @param file URI that ends with `.R`
   */
  public static r(file: string): SparkProgram {
    return new SparkProgram({ type: 'R', file });
  }

  /**
   * In the model's terms.
   * @internal
   */
  public readonly _spec: SparkProgramSpec;

  private constructor(spec: SparkProgramSpec) {
    this._spec = spec;
  }
}
