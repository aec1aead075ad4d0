// The server's faults of a form: those of known fields are shown at the field, the others above the form.
import type { FormInstance } from "antd";
import { createContext, useEffect, useRef, useState } from "react";
import type { Failure } from "@/shared/ui/failure";

type Path = string | (string | number)[];

/** The form's name of an API field, e.g. `cores` for `CPUPeriodQuota`. */
export type FormName = (apiName: string) => Path;

const sameName: FormName = (name) => (name.includes(".") ? name.split(".") : name);

interface Placed {
  here: { name: Path; errors: string[] }[];
  /** Faults of fields that the form does not have. */
  elsewhere: string[];
}

/** Sorts faults by whether the form has a field for them. */
export function placeFaults(
  error: Failure,
  hasField: (name: Path) => boolean,
  formName: FormName = sameName,
): Placed {
  const placed: Placed = { here: [], elsewhere: [] };
  for (const { name, message } of error.fields) {
    const path = formName(name);
    if (hasField(path)) placed.here.push({ name: path, errors: [message] });
    else placed.elsewhere.push(message);
  }
  if (placed.here.length === 0 && placed.elsewhere.length === 0) placed.elsewhere.push(error.message);
  return placed;
}

/** Notifies a form's page, from inside it, that its faults have changed. */
export const RecountFaults = createContext<() => void>(() => {});

/**
 * Shows a failed submit in the form: marks the fields, reports their number, focuses the first of them, and returns
 * faults without a field. Fields that the next response accepts are unmarked. The form instance lives outside React's
 * rendering, hence the effect.
 */
export function useServerFaults(
  form: FormInstance,
  error: Failure | null,
  onFaults: (count: number) => void,
  formName?: FormName,
): readonly string[] {
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  const marked = useRef<Placed["here"]>([]);
  useEffect(() => {
    const outdated = marked.current.filter(
      ({ name, errors }) => form.getFieldError(name).join() === errors.join(),
    );
    marked.current = [];
    if (outdated.length > 0) {
      form.setFields(outdated.map(({ name }) => ({ name, errors: [] })));
      onFaults(countFaults(form));
    }
    if (!error) {
      setElsewhere([]);
      return;
    }
    const fields = form.getFieldsError().map((field) => JSON.stringify(field.name));
    const hasField = (name: Path) => fields.includes(JSON.stringify(Array.isArray(name) ? name : [name]));
    const placed = placeFaults(error, hasField, formName);
    form.setFields(placed.here);
    marked.current = placed.here;
    setElsewhere(placed.elsewhere);
    onFaults(countFaults(form));
    const first = placed.here[0];
    if (first) {
      form.scrollToField(first.name, { block: "center" });
      form.focusField(first.name);
    }
  }, [form, error, onFaults, formName]);
  return elsewhere;
}

/** The number of fields that are marked as faulty now. */
export function countFaults(form: FormInstance): number {
  return form.getFieldsError().filter((field) => field.errors.length > 0).length;
}
