/**
 * What a notebook server is, as far as Kubeflow has to know: what becomes of the path `/notebook/NAMESPACE/NAME/` in front of its requests.
 */
export class NotebookServer {
  /**
   * JupyterLab, which serves under the path of `NB_PREFIX`. The only kind that Kubeflow stops when it is idle.
   * @param image such as `registry.example/jupyter-pytorch-cuda-full:v1.10.0`
   */
  public static jupyter(image: string): NotebookServer {
    return new NotebookServer('jupyter', image);
  }

  /**
   * code-server, whose requests come without the path.
   * @param image such as `registry.example/codeserver-python:v1.10.0`
   */
  public static codeServer(image: string): NotebookServer {
    return new NotebookServer('group-one', image);
  }

  /**
   * RStudio, whose requests come without the path and with it in a header. Needs a namespace.
   * @param image such as `registry.example/rstudio-tidyverse:v1.10.0`
   */
  public static rStudio(image: string): NotebookServer {
    return new NotebookServer('group-two', image);
  }

  /**
   * @param type as the annotation `notebooks.kubeflow.org/server-type` has it
   * @param image image of the server
   */
  private constructor(public readonly type: string, public readonly image: string) {}
}
