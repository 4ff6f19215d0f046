/** Values as a list, or as one string separated by commas. */
export type TextList = string | readonly string[];
