//! Real servers, written for `/bin/sh`.
