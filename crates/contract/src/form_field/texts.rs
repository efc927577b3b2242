//! Structs that have a member for each text of the form.

use super::FormField;

/// Access to the texts of a struct that `with_texts!` declares.
pub trait Texts {
    type Text;

    /// Returns a text, or `None` for a field of another kind.
    fn text(&self, field: FormField) -> Option<&Self::Text>;

    /// Returns a text, or `None` for a field of another kind.
    fn text_mut(&mut self, field: FormField) -> Option<&mut Self::Text>;

    /// Returns all texts with their fields.
    fn texts(&self) -> impl Iterator<Item = (FormField, &Self::Text)> {
        FormField::ALL.iter().filter_map(|field| Some((*field, self.text(*field)?)))
    }
}

/// Declares a struct with a member for each text of the form, and implements `Texts` for it. The declaration begins
/// with the type of these members, after the attribute if they need one:
///
/// ```
/// contract::with_texts! {
///     (Option<String>)
///     #[derive(Default)]
///     struct Fields {
///         super_category_id: Option<u64>,
///     }
/// }
/// let fields = Fields { caption: Some("a".to_owned()), ..Fields::default() };
/// # assert!(fields.caption.is_some() && fields.external_id.is_none() && fields.super_category_id.is_none());
/// ```
#[macro_export]
macro_rules! with_texts {
    (($Type:ty) $($declaration:tt)*) => {
        $crate::with_texts! { (#[doc = ""] $Type) $($declaration)* }
    };
    ($($declaration:tt)*) => {
        $crate::form_fields! { [$crate::struct_with_texts] { $($declaration)* } }
    };
}

/// Implements `with_texts!`.
#[doc(hidden)]
#[macro_export]
macro_rules! struct_with_texts {
    (
        {
            (#[$attribute:meta] $Type:ty)
            $(#[$meta:meta])*
            $vis:vis struct $Name:ident { $($members:tt)* }
        }
        texts { $($text:ident $Text:ident {
            $kind:ident $limit:tt $purpose:ident $code:ident $option:tt $doc:tt $example:tt
        })* }
        others $others:tt
    ) => {
        $(#[$meta])*
        $vis struct $Name {
            $($members)*
            $(#[doc = $doc] #[$attribute] $vis $text: $Type,)*
        }

        impl $crate::Texts for $Name {
            type Text = $Type;

            fn text(&self, field: $crate::FormField) -> Option<&Self::Text> {
                match field { $($crate::FormField::$Text => Some(&self.$text),)* _ => None }
            }

            fn text_mut(&mut self, field: $crate::FormField) -> Option<&mut Self::Text> {
                match field { $($crate::FormField::$Text => Some(&mut self.$text),)* _ => None }
            }
        }
    };
}
