// How many elements of a stranger's text may be made: a page with millions of them would not answer any more.

export interface Budget {
  /** Below 0 something was left out. */
  left: number;
}

export const makeBudget = (most: number): Budget => ({ left: most });

/** Stands where a text is broken off. */
export const TooMuch = () => <p>内容太多，后面的没有显示</p>;
