/** Letters, numbers and symbols are spoken. Some letters show nothing, such as the fillers of Hangul: the clients refuse them alone. */
export const spoken = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{S}]/u
