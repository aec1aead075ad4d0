// The number of elements that a text may become: a page with millions of them would not respond.

export interface Budget {
  /** Below 0 something was left out. */
  left: number;
}

export const makeBudget = (most: number): Budget => ({ left: most });

/** Shown where a text is cut. */
export const TooMuch = () => <p>内容太多，后面的没有显示</p>;
