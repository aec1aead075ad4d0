/** Rules for a secret's name: the same for tokens and app passwords. */
export const nameRules = [{ required: true, whitespace: true, message: "请填写用途，以后才认得出来" }];
