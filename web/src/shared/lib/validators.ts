// The rules for names, passwords and contacts. The server has the same rules and decides; here they save a round trip
// and word the fault beside the field.

/** The name is a folder's name too, so dots alone won't do, nor the folder that the disk has for itself. */
export const isUsername = (value: string) => /^(?!\.+$|\.yunlab$)[a-z0-9.@]{2,20}$/i.test(value);

/** The second variant, where the settings allow `_` too. */
export const isUsernameWithUnderscore = (value: string) =>
  /^(?!\.+$|\.yunlab$)[a-z0-9.@_]{2,20}$/i.test(value);

export const isPassword = (value: string) => /^(?=.*[A-Za-z])(?=.*\d)[^\p{Cc}]{6,30}$/u.test(value);

/** 0 to 30 letters, digits and underscores; empty is allowed. */
export const isPlainWord = (value: string) => /^\w{0,30}$/.test(value);

const mailbox = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const domain =
  /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

export const isEmail = (value: string) => {
  const at = value.lastIndexOf("@");
  return (
    value.length <= 254 && at <= 64 && mailbox.test(value.slice(0, at)) && domain.test(value.slice(at + 1))
  );
};

/** A mobile number of the mainland. */
export const isPhone = (value: string) => /^1[3-9]\d{9}$/.test(value);

/** As many characters as the server keeps of a person's name. */
export const NAME_LENGTH = 40;

interface FieldRule {
  validator: (rule: unknown, value: unknown) => Promise<void>;
}

/** Empty is for `required` to judge. */
function rule(accepts: (value: string) => boolean, message: string): FieldRule {
  return {
    validator: (_rule, value) =>
      typeof value !== "string" || value === "" || accepts(value)
        ? Promise.resolve()
        : Promise.reject(new Error(message)),
  };
}

/** The same rules for antd forms. */
export const rules = {
  username: rule(isUsername, "2–20 位字母、数字、“.” 或 “@”"),
  usernameWithUnderscore: rule(isUsernameWithUnderscore, "2–20 位字母、数字、“.”、“@” 或 “_”"),
  password: rule(isPassword, "6–30 位，至少一个字母和一个数字"),
  plainWord: rule(isPlainWord, "最多 30 位字母、数字或下划线"),
  email: rule(isEmail, "邮箱格式不正确"),
  phone: rule(isPhone, "请输入 11 位手机号"),
};
