/** First line of the comment that a pipeline keeps up to date, by which it is found again. It is not shown. */
export const DIFF_COMMENT_MARKER = '<!-- trainyard diff -->';
