/** How much the operator logs. */
export enum LogLevel {
  /** Every decision. */
  DEBUG = 'debug',
  /** What happens to jobs. */
  INFO = 'info',
  /** What may need attention. */
  WARN = 'warn',
  /** What went wrong. */
  ERROR = 'error',
}
