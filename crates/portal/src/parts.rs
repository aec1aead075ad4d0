//! What features keep in the portal, reached by its type at the cost of a field: `wiring` alone lists the types, so the
//! portal names no feature, and a type that is not listed there does not compile.

use crate::Portal;
use crate::wiring::{Loans, Parts};

/// A feature's state in memory, which lives as long as the portal. There is one value of each type.
pub(crate) trait Part {
    /// The portal's value.
    fn of(parts: &Parts) -> &Self;
}

/// What another part of the program lends a feature, such as the network disk in this process. It may be absent, and
/// it belongs to a handle of the portal, not to the portal: those who lend hold handles themselves.
pub(crate) trait Loan {
    /// The handle's value.
    fn of(loans: &Loans) -> &Self;

    /// Puts the value in.
    fn put(self, loans: &mut Loans);
}

impl Portal {
    /// The state of this type.
    pub(crate) fn part<T: Part>(&self) -> &T {
        T::of(self.parts())
    }

    /// What was lent to this handle, by its type.
    pub(crate) fn loan<T: Loan>(&self) -> &T {
        T::of(self.loans())
    }

    /// Another handle of the same portal, with everything that was lent to this one and with `loan`.
    pub(crate) fn with_loan(&self, loan: impl Loan) -> Self {
        let mut loans = self.loans().clone();
        loan.put(&mut loans);
        self.with_loans(loans)
    }
}
