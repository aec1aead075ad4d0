//! Why the disk refuses a request: a closed list of codes, each with its line of English. Programs match on the
//! code; clients of File Browser's API get the line after the status.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::ToSchema;

macro_rules! reasons {
    ($($name:ident $code:tt = $text:tt),* $(,)?) => {
        /// Why a request was refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
        #[schema(as = DiskReason)]
        pub enum Reason {
            $(
                #[doc = $text]
                #[serde(rename = $code)]
                $name,
            )*
        }

        impl std::fmt::Display for Reason {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }

        impl Reason {
            /// All, in the order of the document.
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// The line of English.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

reasons! {
    Exists "exists" = "exists",
    FolderThere "folder_there" = "a folder is there",
    FileThere "file_there" = "a file is there",
    NotEmpty "not_empty" = "not empty",
    NoFreeName "no_free_name" = "no free name",
    OtherFileSystem "other_file_system" = "another file system is mounted there by now",
    Cancelled "cancelled" = "cancelled",
    Interrupted "interrupted" = "interrupted by a restart",
    TooManyLinks "too_many_links" = "too many links",
    LinkFull "link_full" = "the link takes no more",
    NoRoom "no_room" = "no room",
    WrongOffset "wrong_offset" = "not the offset that comes next",
    DiskFull "disk_full" = "disk full",
    QuotaExceeded "quota_exceeded" = "quota exceeded",
    Locked "locked" = "locked over WebDAV",
    Stopping "stopping" = "the server stops",
    TooDeep "too_deep" = "too deep",
    NameTooLong "name_too_long" = "name too long",
    IsRoot "is_root" = "the root",
    IsFolder "is_folder" = "is a folder",
    NoFolder "no_folder" = "not a folder",
    SpecialFile "special_file" = "not a file or folder",
    IntoItself "into_itself" = "into itself",
    OntoParent "onto_parent" = "onto a folder that holds it",
    NoArchive "no_archive" = "not an archive that can be unpacked",
    ArchiveDamaged "archive_damaged" = "the archive is damaged",
    ArchiveEncrypted "archive_encrypted" = "the archive is encrypted",
    ArchiveUnsupported "archive_unsupported" = "the archive is packed in a way that is not supported",
    ArchiveMemory "archive_memory" = "the archive needs too much memory",
    ArchiveEntries "archive_entries" = "the archive has too many entries",
    ArchiveBomb "archive_bomb" = "the archive grows too much",
    BodyEnded "body_ended" = "the body ended early",
    BodyShort "body_short" = "the body is shorter than announced",
    BodyEncoding "body_encoding" = "the body is not UTF-8",
    WrongLength "wrong_length" = "not as long as announced",
    WrongDigest "wrong_digest" = "the content does not have the announced OC-Checksum",
    PathEncoding "path_encoding" = "path is not UTF-8",
    FilenameEncoding "filename_encoding" = "filename is not UTF-8",
    FilenameUnfit "filename_unfit" = "filename is not a name",
    FilesEncoding "files_encoding" = "files is not UTF-8",
    FilesEmptyName "files_empty_name" = "an empty name in files",
    FilesWhole "files_whole" = "files are written whole",
    NotUtf8 "not_utf8" = "not UTF-8",
    NotText "not_text" = "not text",
    EncodingLacks "encoding_lacks" = "a character that the encoding has not",
    EncodingUnknown "encoding_unknown" = "unknown encoding",
    DigestUnknown "digest_unknown" = "unknown checksum",
    DigestAlgorithm "digest_algorithm" = "unknown checksum algorithm",
    AlgorithmUnknown "algorithm_unknown" = "unknown algo",
    PictureBroken "picture_broken" = "broken picture",
    PictureSize "picture_size" = "the size is thumb or big",
    NoSubtitles "no_subtitles" = "no subtitles",
    PasswordShort "password_short" = "password too short",
    PasswordLong "password_long" = "password too long",
    PasswordNeeded "password_needed" = "password needed",
    PasswordWrong "password_wrong" = "wrong password",
    PasswordOfAccount "password_of_account" = "password is the platform account's",
    UsernameOfAccount "username_of_account" = "username is the platform account's",
    UsernameMissing "username_missing" = "no username",
    UsernameMalformed "username_malformed" = "malformed username",
    NoAccount "no_account" = "no account has this name",
    AccountDisabled "account_disabled" = "account disabled",
    SessionEnded "session_ended" = "session ended",
    TokenMissing "token_missing" = "no token",
    TokenRefused "token_refused" = "token not accepted",
    TokenMalformed "token_malformed" = "token malformed",
    TokenExpired "token_expired" = "token expired",
    AppPasswordMissing "app_password_missing" = "no app password",
    AppPasswordRefused "app_password_refused" = "app password not accepted",
    AccessTokenRefused "access_token_refused" = "access token not accepted",
    NoSandbox "no_sandbox" = "exec needs a sandbox, which this host does not have",
    NotWebsocket "not_websocket" = "not a websocket",
    WhatNotUser "what_not_user" = "what is not user",
    OtherId "other_id" = "id is another one than in the address",
    PathsMissing "paths_missing" = "no paths",
    DataMissing "data_missing" = "no data",
    DestinationMissing "destination_missing" = "no destination",
    DestinationMalformed "destination_malformed" = "malformed Destination",
    DestinationOutside "destination_outside" = "Destination is elsewhere",
    DestinationElsewhere "destination_elsewhere" = "Destination is on another server",
    IdMalformed "id_malformed" = "malformed id",
    QueryMalformed "query_malformed" = "malformed query",
    JsonMalformed "json_malformed" = "malformed JSON",
    JsonNoObject "json_no_object" = "malformed JSON: an object is expected",
    DataMalformed "data_malformed" = "malformed value in data",
    SettingsMalformed "settings_malformed" = "malformed value in the settings",
    MtimeMalformed "mtime_malformed" = "malformed X-OC-Mtime",
    ModifiedMalformed "modified_malformed" = "malformed X-Modified",
    LengthMissing "length_missing" = "no Content-Length",
    LengthMalformed "length_malformed" = "malformed Content-Length",
    UploadMetadataMalformed "upload_metadata_malformed" = "malformed Upload-Metadata",
    UploadConcatMalformed "upload_concat_malformed" = "malformed Upload-Concat",
    UploadChecksumMalformed "upload_checksum_malformed" = "malformed Upload-Checksum",
    UploadOffsetMissing "upload_offset_missing" = "no Upload-Offset",
    UploadLengthMissing "upload_length_missing" = "no Upload-Length",
    FilenameMissing "filename_missing" = "is a folder, and Upload-Metadata has no filename",
    ExpiresMalformed "expires_malformed" = "expires is a number from 0 to 2147483647",
    CapsMalformed "caps_malformed" = "maxFiles is a number from 1 to 10000, maxBytes from 1 to 17592186044416",
    UnitUnknown "unit_unknown" = "unit is seconds, minutes, hours or days",
    DepthMalformed "depth_malformed" = "depth begins at 1",
    SearchMalformed "search_malformed" = "malformed search",
    SettingUnfit "setting_unfit" = "a setting has no allowed value",
    OfAccount "of_account" = "is the platform account's",
    FieldMissing "field_missing" = "is not in data",
    FieldUnknown "field_unknown" = "unknown field",
    TaskMalformed "task_malformed" = "malformed task",
    HeaderMalformed "header_malformed" = "malformed header",
    PartMissing "part_missing" = "no such part",
    PartComing "part_coming" = "a part is still coming",
    MixedKinds "mixed_kinds" = "a file and a folder have the same name",
    PathMalformed "path_malformed" = "malformed percent-encoding",
    PathNul "path_nul" = "path contains NUL",
    PathDots "path_dots" = "dot segment in path",
    PathEmptySegment "path_empty_segment" = "empty segment in path",
    PathTooLong "path_too_long" = "path too long",
}

/// A reason and its line, which may tell more than the reason's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    pub reason: Reason,
    text: Cow<'static, str>,
}

impl Why {
    /// With a line of its own.
    pub fn told(reason: Reason, text: impl Into<Cow<'static, str>>) -> Self {
        Self { reason, text: text.into() }
    }

    /// The line of English.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<Reason> for Why {
    fn from(reason: Reason) -> Self {
        Self { reason, text: Cow::Borrowed(reason.text()) }
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Reason;

    #[test]
    fn codes_and_lines_are_unique_and_codes_are_words() {
        let codes: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        let lines: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.text()).collect();
        assert_eq!((codes.len(), lines.len()), (Reason::ALL.len(), Reason::ALL.len()));
        for code in codes {
            assert!(
                code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{code}"
            );
        }
    }
}
