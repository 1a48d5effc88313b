/**
 * What tokens, keys and passwords look like. A table and nothing else: each kind has a text that every one of it holds, which is looked for first,
 * and an expression for the rest. Issuers publish these forms so that scanners of repositories find what was leaked.
 */

/** One kind of secret that is recognised by its form. */
export interface TokenKind {
  /** What people call it, behind `looks like`. */
  readonly title: string;
  /** Text that is in every secret of the kind, letter by letter; what is shown of it. */
  readonly marker: string;
  /** The whole secret, anywhere in a text. */
  readonly form: RegExp;
  /** What to look for first in a whole manifest, where the marker is in nearly all of them. @default - the marker */
  readonly glance?: RegExp;
  /** Where the form is published. */
  readonly source: string;
}

/** Kinds with a form of their own. An expression begins at no letter or digit, so that it finds no half of a longer word. */
export const TOKEN_KINDS: readonly TokenKind[] = [
  {
    title: 'a Hugging Face token', marker: 'hf_', form: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/,
    source: 'https://huggingface.co/docs/hub/security-tokens',
  },
  {
    title: 'a Hugging Face organisation token', marker: 'api_org_', form: /(?<![A-Za-z0-9])api_org_[A-Za-z0-9]{30,}/,
    source: 'https://huggingface.co/docs/hub/security-tokens',
  },
  {
    title: 'a Weights & Biases API key', marker: 'wandb_v1_', form: /(?<![A-Za-z0-9])wandb_v1_[A-Za-z0-9_]{40,}/,
    source: 'https://docs.wandb.ai/guides/track/environment-variables',
  },
  {
    title: 'a Weights & Biases API key', marker: 'WANDB_API_KEY', form: /WANDB_API_KEY["']?\s*[=:]\s*["']?[0-9a-f]{40}(?![0-9a-f])/,
    source: 'https://docs.wandb.ai/guides/track/environment-variables',
  },
  {
    title: 'an AWS access key', marker: 'AKIA', form: /(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])/,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html',
  },
  {
    title: 'a temporary AWS access key', marker: 'ASIA', form: /(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}(?![A-Za-z0-9])/,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html',
  },
  {
    title: 'an AWS secret access key', marker: 'AWS_SECRET_ACCESS_KEY', form: /AWS_SECRET_ACCESS_KEY["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
  },
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((marker) => ({
    title: 'a GitHub token', marker, form: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,}/,
    source: 'https://github.blog/engineering/behind-githubs-new-authentication-token-formats/',
  })),
  {
    title: 'a fine-grained GitHub token', marker: 'github_pat_', form: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{60,}/,
    source: 'https://github.blog/engineering/behind-githubs-new-authentication-token-formats/',
  },
  {
    title: 'a GitLab token', marker: 'glpat-', form: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_.-]{20,}/,
    source: 'https://docs.gitlab.com/security/tokens/',
  },
  {
    title: 'a Google API key', marker: 'AIza', form: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/,
    source: 'https://cloud.google.com/docs/authentication/api-keys',
  },
  {
    title: 'a Google access token', marker: 'ya29.', form: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{30,}/,
    source: 'https://cloud.google.com/docs/authentication/token-types',
  },
  {
    title: 'a Slack token', marker: 'xox', form: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/,
    source: 'https://api.slack.com/concepts/token-types',
  },
  {
    title: 'a Slack app token', marker: 'xapp-', form: /(?<![A-Za-z0-9])xapp-[0-9]-[A-Za-z0-9-]{20,}/,
    source: 'https://api.slack.com/concepts/token-types',
  },
  {
    title: 'a Slack webhook URL, which grants access by itself', marker: 'hooks.slack.com/services/',
    form: /hooks\.slack\.com\/services\/T[A-Z0-9]{6,}\/B[A-Z0-9]{6,}\/[A-Za-z0-9]{16,}/,
    source: 'https://api.slack.com/messaging/webhooks',
  },
  {
    title: 'an OpenAI API key', marker: 'sk-', form: /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{40,})/,
    source: 'https://platform.openai.com/docs/api-reference/authentication',
  },
  {
    title: 'an Anthropic API key', marker: 'sk-ant-', form: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{30,}/,
    source: 'https://docs.anthropic.com/en/api/overview',
  },
  {
    title: 'an NVIDIA NGC API key', marker: 'nvapi-', form: /(?<![A-Za-z0-9])nvapi-[A-Za-z0-9_-]{40,}/,
    source: 'https://docs.nvidia.com/ngc/gpu-cloud/ngc-user-guide/index.html',
  },
  {
    title: 'a Databricks token', marker: 'dapi', form: /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?![0-9a-f])/,
    source: 'https://docs.databricks.com/aws/en/dev-tools/auth/pat',
  },
  {
    title: 'a Docker Hub token', marker: 'dckr_pat_', form: /(?<![A-Za-z0-9])dckr_pat_[A-Za-z0-9_-]{20,}/,
    source: 'https://docs.docker.com/security/access-tokens/',
  },
  {
    title: 'an npm token', marker: 'npm_', form: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/,
    source: 'https://docs.npmjs.com/about-access-tokens',
  },
  {
    title: 'a PyPI token', marker: 'pypi-AgEIcHlwaS', form: /(?<![A-Za-z0-9])pypi-AgEIcHlwaS[A-Za-z0-9_-]{50,}/,
    source: 'https://pypi.org/help/#apitoken',
  },
  {
    title: 'an Azure storage account key', marker: 'AccountKey=', form: /AccountKey=[A-Za-z0-9+/]{86}==/,
    source: 'https://learn.microsoft.com/en-us/azure/storage/common/storage-configure-connection-string',
  },
  {
    title: 'a private key', marker: 'PRIVATE KEY', form: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*-----|$)/,
    source: 'https://www.rfc-editor.org/rfc/rfc7468',
  },
  {
    title: 'a JSON web token', marker: 'eyJ', form: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
  },
  {
    // A password that refers to a variable, $(PASSWORD) or ${PASSWORD}, stands somewhere else.
    title: 'a password in a URL', marker: '://', glance: /:\/\/[^\s/:@"]*:[^\s/@"]*@/,
    form: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31}:\/\/[^\s/:@"'$<{]*:[^\s/@"'$<{*]{3,}@(?=[A-Za-z0-9[])/,
    source: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
  },
];

/** Variables whose values are secrets whatever they look like, with who reads them. */
export const SECRET_NAMES: { readonly [name: string]: string } = {
  WANDB_API_KEY: 'Weights & Biases',
  HF_TOKEN: 'Hugging Face',
  HUGGING_FACE_HUB_TOKEN: 'Hugging Face',
  HUGGINGFACE_TOKEN: 'Hugging Face',
  HUGGINGFACEHUB_API_TOKEN: 'Hugging Face',
  MLFLOW_TRACKING_PASSWORD: 'MLflow',
  MLFLOW_TRACKING_TOKEN: 'MLflow',
  COMET_API_KEY: 'Comet',
  NEPTUNE_API_TOKEN: 'Neptune',
  KAGGLE_KEY: 'Kaggle',
  NGC_API_KEY: 'NVIDIA NGC',
  NVIDIA_API_KEY: 'NVIDIA',
  OPENAI_API_KEY: 'OpenAI',
  ANTHROPIC_API_KEY: 'Anthropic',
  GEMINI_API_KEY: 'Google',
  AWS_SECRET_ACCESS_KEY: 'AWS',
  AWS_SESSION_TOKEN: 'AWS',
  AZURE_CLIENT_SECRET: 'Azure',
  AZURE_STORAGE_KEY: 'Azure',
  AZURE_STORAGE_CONNECTION_STRING: 'Azure',
  DATABRICKS_TOKEN: 'Databricks',
  GITHUB_TOKEN: 'GitHub',
  GH_TOKEN: 'GitHub',
  PGPASSWORD: 'PostgreSQL',
  MYSQL_PWD: 'MySQL',
  REDIS_PASSWORD: 'Redis',
};
