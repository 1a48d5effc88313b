/** Times of the status; see the model. */
export { timeText } from '../../../model/text/times';
